#include "moblo/methods/bvfim_options.hpp"

namespace moblo {

const OptionTable<BvfimOptions>& BvfimOptions::table() {
  static const auto table = [] {
    using O = BvfimOptions;
    OptionTable<O> t;
    t.add("inner_steps", &O::inner_steps, "steps of z on f(alpha, z) + mu r |z|^2", at_least(0));
    t.add("inner_step_size", &O::inner_step_size, "step size of z", above(0));
    t.add("model_steps", &O::model_steps, "steps of omega on F + theta r |omega|^2 + the barrier", at_least(1));
    t.add("model_step_size", &O::model_step_size, "step size of omega", above(0));
    t.add("inner_batches", &O::inner_batches, "new batches each of these steps, or the same for all of them");
    t.add("value_ridge", &O::value_ridge, "mu, see inner_steps", at_least(0));
    t.add("model_ridge", &O::model_ridge, "theta, see model_steps", at_least(0));
    t.add("barrier", &O::barrier, "sigma, weight of the logarithmic barrier; 0.001 to 1", above(0));
    t.add("barrier_offset", &O::barrier_offset, "C, keeps the barrier's argument positive", above(0));
    return t;
  }();
  return table;
}

MethodInfo bvfim_info() {
  return make_method_info<BvfimOptions>(
      "bvfim", "value-function interior-point method for one objective, here the mean of them all",
      "Liu, Liu, Yuan, Zeng, Zhang: A Value-Function-based Interior-point Method for Non-convex Bi-level Optimization, "
      "ICML 2021",
      [](const BvfimOptions&) { return MethodTraits{.first_order = true}; });
}

}  // namespace moblo
