#include "moblo/base/clock.hpp"

#include <ctime>

namespace moblo::base {

void PhaseTimer::lap(std::string_view phase) {
  const auto now = std::chrono::steady_clock::now();
  const double passed = std::max(0.0, std::chrono::duration<double>(now - last_).count());
  last_ = now;
  for (auto& [name, total] : seconds_) {
    if (name == phase) {
      total += passed;
      return;
    }
  }
  seconds_.emplace_back(phase, passed);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace moblo::base
