#pragma once

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/hypergradient_options.hpp"

namespace moblo {

/// MOML: min-norm weights on hypergradients. All it needs to know is the lower loop and the step of omega.
struct MomlOptions : HypergradientOptions {
  static const OptionTable<MomlOptions>& table();
};

MethodInfo moml_info();

}  // namespace moblo
