#include "moblo/methods/forum_options.hpp"

namespace moblo {

void ForumOptions::apply_profile() {
  const bool reference = profile == ForumProfile::reference;
  upper_gradients = reference ? UpperGradients::unit : UpperGradients::raw;
  upper_alpha_gradient = !reference;
  q_floor = reference ? 1e-8 : 0;
  beta_clock = reference ? BetaClock::epoch : BetaClock::iteration;
  inner_batches = reference ? InnerBatches::one : InnerBatches::fresh;
  upper_data = reference ? UpperData::lower : UpperData::upper;
  inner_loss_limit = reference ? 1e5 : 0;
}

const OptionTable<ForumOptions>& ForumOptions::table() {
  static const auto table = [] {
    using O = ForumOptions;
    OptionTable<O> t;
    t.add("profile", &O::profile, "paper, or what the authors' released code does; options given beside it win");
    t.add("inner_steps", &O::inner_steps, "T, steps of the lower loop", at_least(0));
    t.add("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
    t.add("rho", &O::rho, "phi = rho/2 |grad q|^2, how fast the constraint must fall", at_least(0));
    t.add("beta_exponent", &O::beta_exponent, "beta_k = beta_scale (k+1)^-beta_exponent", within(0, 1));
    t.add("beta_scale", &O::beta_scale, "see beta_exponent; 1 makes the first weights the QP's", {0, 1, true, false});
    t.add("beta_clock", &O::beta_clock, "what k counts in beta_k");
    t.add("inner_start", &O::inner_start, "where the lower loop starts: omega_k or omega_0");
    t.add("inner_batches", &O::inner_batches, "a new batch each lower step, or one batch for all of them");
    t.add("upper_data", &O::upper_data, "which level's batches the upper losses see");
    t.add("upper_gradients", &O::upper_gradients, "grad F_i as it is, or scaled to unit length");
    t.add("upper_alpha_gradient", &O::upper_alpha_gradient, "keep the alpha block of grad F_i, or set it to zero");
    t.add("multiplier", &O::multiplier, "nu with 2 phi (paper) or with phi (the exact minimiser)");
    t.add("q_floor", &O::q_floor, "added to |grad q|^2 in the multiplier", at_least(0));
    t.add("inner_loss_limit", &O::inner_loss_limit, "the lower loop ends where f passes it; 0 = never", at_least(0));
    return t;
  }();
  return table;
}

MethodInfo forum_info() {
  return make_method_info<ForumOptions>(
      "forum", "first-order multi-gradient method for multi-objective bi-level problems",
      "Ye, Lin, Cao, Zhang, Tsang: A First-Order Multi-Gradient Algorithm for Multi-Objective Bi-Level Optimization, "
      "ECAI 2024",
      [](const ForumOptions& options) {
        return MethodTraits{.first_order = true,
                            .needs_strongly_convex_lower = false,
                            .needs_interchangeable_batches = options.upper_data == UpperData::lower};
      });
}

}  // namespace moblo
