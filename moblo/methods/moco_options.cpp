#include "moblo/methods/moco_options.hpp"

namespace moblo {

const OptionTable<MocoOptions>& MocoOptions::table() {
  static const auto table = [] {
    using O = MocoOptions;
    OptionTable<O> t;
    add_hypergradient_fields(t);
    t.add("beta", &O::beta, "beta_k = beta (k+1)^-beta_exponent, how fast the tracker follows", {0, 1, true, false});
    t.add("beta_exponent", &O::beta_exponent, "see beta; 0 = constant", within(0, 1));
    t.add("gamma", &O::gamma, "gamma_k = gamma (k+1)^-gamma_exponent, step size of the weights", at_least(0));
    t.add("gamma_exponent", &O::gamma_exponent, "see gamma; 0 = constant", within(0, 1));
    t.add("rho", &O::rho, "rho, regularises the weights", at_least(0));
    t.add("projection", &O::projection, "how the weights return to the simplex: softmax, or the nearest point");
    t.add("gradient_scale", &O::gradient_scale, "hypergradients as they are, or of unit length times their loss");
    return t;
  }();
  return table;
}

MethodInfo moco_info() {
  return make_method_info<MocoOptions>(
      "moco", "tracked hypergradients and slowly moving weights, against the bias of stochastic gradients",
      "Fernando, Shen, Liu, Chaudhury, Murugesan, Chen: Mitigating Gradient Bias in Multi-objective Learning, ICLR "
      "2023",
      [](const MocoOptions& options) { return options.traits(); });
}

}  // namespace moblo
