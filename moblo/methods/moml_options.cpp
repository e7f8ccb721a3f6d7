#include "moblo/methods/moml_options.hpp"

namespace moblo {

const OptionTable<MomlOptions>& MomlOptions::table() {
  static const auto table = [] {
    OptionTable<MomlOptions> t;
    add_hypergradient_fields(t);
    return t;
  }();
  return table;
}

MethodInfo moml_info() {
  return make_method_info<MomlOptions>(
      "moml", "min-norm weights on hypergradients through the lower loop, for any number of lower steps",
      "Ye, Lin, Yue, Guo, Xiao, Zhang: Multi-Objective Meta Learning, NeurIPS 2021",
      [](const MomlOptions& options) { return options.traits(); });
}

}  // namespace moblo
