// Carries a precompiled header; see moblo_precompile.
