#include "moblo/methods/bome_options.hpp"

namespace moblo {

const OptionTable<BomeOptions>& BomeOptions::table() {
  static const auto table = [] {
    using O = BomeOptions;
    OptionTable<O> t;
    t.add("inner_steps", &O::inner_steps, "T, steps of the lower loop", at_least(0));
    t.add("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
    t.add("inner_start", &O::inner_start, "where the lower loop starts: omega_k or omega_0");
    t.add("inner_batches", &O::inner_batches, "a new batch each lower step, or one batch for all of them");
    t.add("phi", &O::phi, "phi = phi_scale |grad q|^2, or phi_scale q");
    t.add("phi_scale", &O::phi_scale, "see phi: how fast the constraint must fall", at_least(0));
    t.add("q_floor", &O::q_floor, "added to |grad q|^2 in the multiplier", at_least(0));
    return t;
  }();
  return table;
}

MethodInfo bome_info() {
  return make_method_info<BomeOptions>(
      "bome", "first-order bi-level method for one objective, here the mean of them all",
      "Liu, Ye, Wright, Stone, Liu: BOME! Bilevel Optimization Made Easy, NeurIPS 2022",
      [](const BomeOptions&) { return MethodTraits{.first_order = true}; });
}

}  // namespace moblo
