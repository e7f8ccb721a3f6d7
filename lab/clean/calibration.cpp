#include "lab/clean/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace moblo::lab::clean {

double calibration_error(const std::vector<JudgedChance>& cases) {
  constexpr std::size_t stretches = 10;
  std::array<double, stretches> promised{}, happened{};
  double total = 0;
  for (const auto& c : cases) {
    const auto bin = std::min(stretches - 1, static_cast<std::size_t>(c.probability * stretches));
    promised[bin] += c.weight * c.probability;
    happened[bin] += c.wrong ? c.weight : 0;
    total += c.weight;
  }
  double gap = 0;
  for (std::size_t i = 0; i < stretches; ++i) gap += std::abs(promised[i] - happened[i]);
  return total > 0 ? gap / total : 0;
}

}  // namespace moblo::lab::clean
