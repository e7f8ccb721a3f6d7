#pragma once

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/hypergradient_options.hpp"

namespace moblo {

/// Auto-Lambda: one lower step a loop, as published; the hypergradient is exact instead of a finite difference.
struct AutolambdaOptions : HypergradientOptions {
  AutolambdaOptions() { inner_steps = 1; }
  static const OptionTable<AutolambdaOptions>& table();
};

MethodInfo autolambda_info();

}  // namespace moblo
