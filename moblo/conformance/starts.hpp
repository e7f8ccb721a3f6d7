#pragma once

#include <fmt/format.h>

#include <vector>

#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"

namespace moblo::conformance {

/// Of the problems with omega in R^2.
inline void refuse_unless_pair(const std::vector<double>& omega, const OptionPlace& place) {
  if (omega.size() == 2) return;
  throw Error(ErrorKind::config, fmt::format("{} with {} numbers", place.child("omega").text(), omega.size()),
              "omega has two coordinates", "Write for example omega = [0, 3]");
}

}  // namespace moblo::conformance
