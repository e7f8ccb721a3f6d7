#include "moblo/methods/tpe_options.hpp"

namespace moblo {

const OptionTable<TpeOptions>& TpeOptions::table() {
  static const auto table = [] {
    using O = TpeOptions;
    OptionTable<O> t;
    add_search_fields(t);
    t.add("trials", &O::trials, "points tried in a step", at_least(1));
    t.add("startup", &O::startup, "first trials, drawn uniformly", at_least(1));
    t.add("good_share", &O::good_share, "gamma: gamma sqrt(N) of N trials count as good, at most 25", above(0));
    t.add("candidates", &O::candidates, "draws from the good ones' density, a coordinate", at_least(1));
    return t;
  }();
  return table;
}

MethodInfo tpe_info() {
  return make_method_info<TpeOptions>(
      "tpe", "Bayesian search over alpha on the mean objective, a trained model a point; needs no gradients of alpha",
      "Bergstra, Bardenet, Bengio, Kegl: Algorithms for Hyper-Parameter Optimization, NeurIPS 2011",
      [](const TpeOptions& options) { return options.traits(); });
}

}  // namespace moblo
