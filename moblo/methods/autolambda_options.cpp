#include "moblo/methods/autolambda_options.hpp"

namespace moblo {

const OptionTable<AutolambdaOptions>& AutolambdaOptions::table() {
  static const auto table = [] {
    OptionTable<AutolambdaOptions> t;
    add_hypergradient_fields(t);
    return t;
  }();
  return table;
}

MethodInfo autolambda_info() {
  return make_method_info<AutolambdaOptions>(
      "autolambda", "hypergradient of the mean upper loss through one lower step, the weights of the losses learned",
      "Liu, James, Davison, Johns: Auto-Lambda: Disentangling Dynamic Task Relationships, TMLR 2022",
      [](const AutolambdaOptions& options) { return options.traits(); });
}

}  // namespace moblo
