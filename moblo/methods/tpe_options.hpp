#pragma once

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/search_options.hpp"

namespace moblo {

/// Tree-structured Parzen estimators on the mean of the objectives: one step is a batch of trials.
struct TpeOptions : SearchOptions {
  std::int64_t trials = 10;      ///< of a step
  std::int64_t startup = 20;     ///< first trials, drawn uniformly
  double good_share = 0.25;      ///< gamma: gamma sqrt(N) trials count as good, at most 25
  std::int64_t candidates = 24;  ///< drawn from the good ones' density, a coordinate

  static const OptionTable<TpeOptions>& table();
};

MethodInfo tpe_info();

}  // namespace moblo
