// Carries the precompiled torch header; see moblo_use_torch.
