#pragma once

#include <vector>

#include "moblo/base/options.hpp"

namespace moblo::aggregation {

/// Of the weightings that project onto {d : <g_j, d> >= 0 for all j}.
struct DualConeOptions {
  std::vector<double> preference;

  static const OptionTable<DualConeOptions>& table() {
    static const auto table = [] {
      OptionTable<DualConeOptions> t;
      t.add("preference", &DualConeOptions::preference, "p, one number per task; empty: 1/m each", at_least(0));
      return t;
    }();
    return table;
  }
};

}  // namespace moblo::aggregation
