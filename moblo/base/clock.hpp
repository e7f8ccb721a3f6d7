#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"

namespace moblo::base {

/// Seconds since construction. Methods never read it for decisions; the loop records it.
class MOBLO_API Stopwatch {
 public:
  /// Never negative: under some virtual machines even this clock goes back.
  double seconds() const {
    return std::max(0.0, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds up the time of a step by phase.
class MOBLO_API PhaseTimer {
 public:
  /// What passed since the last lap (or construction) belongs to `phase`.
  void lap(std::string_view phase);
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, double>> seconds_;
};

/// 2024-05-01T12:00:00Z.
MOBLO_API std::string utc_now();

}  // namespace moblo::base

namespace moblo {

using base::PhaseTimer;

}  // namespace moblo
