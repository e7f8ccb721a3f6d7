#include "moblo/conformance/double_well.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/conformance/scalar_search.hpp"
#include "moblo/conformance/starts.hpp"

namespace moblo::conformance {
namespace {

constexpr double turning_point = 0.57735026918962576;  // 1/sqrt 3, where 2 a^3 - 2 a turns

/// Root of 2 a^3 - 2 a = level in [low, high], where the left side is monotone.
double root(double level, double low, double high) {
  const auto excess = [&](double a) { return 2 * a * a * a - 2 * a - level; };
  const bool rising = excess(high) > excess(low);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    ((excess(middle) < 0) == rising ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// min over c in [low, high] of |(a, w) - (c, c, c^2)|.
double distance_to_arc(double a, double w1, double w2, double low, double high) {
  const auto distance = [&](double c) { return std::hypot(a - c, w1 - c, w2 - c * c); };
  return distance(minimiser_on(low, high, distance));
}

}  // namespace

DoubleWell::DoubleWell(const DoubleWellOptions& options) : tilt_(options.tilt) {
  const auto type = torch::dtype(problem::scalar_type(options.dtype));
  alpha_ = torch::full({1}, options.alpha, type);
  omega_ = torch::tensor(options.omega, type);
  upper_.add("alpha", alpha_);
  lower_.add("omega", omega_);
}

std::vector<torch::Tensor> DoubleWell::upper_losses(const Batch&) {
  const auto well = 0.5 * (omega_[1] - 1).square();
  return {well + tilt_ * omega_[0], well - tilt_ * omega_[0]};
}

torch::Tensor DoubleWell::lower_loss(const Batch&) {
  return 0.5 * (omega_ - torch::cat({alpha_, alpha_.square()})).square().sum();
}

std::array<std::pair<double, double>, 3> DoubleWell::stationary_intervals() const {
  const double inner = root(-tilt_, 0, turning_point), left = root(-tilt_, turning_point, 1), right = root(tilt_, 1, 2);
  return {std::pair{-right, -left}, std::pair{-inner, inner}, std::pair{left, right}};
}

std::optional<double> DoubleWell::distance_to_solution_set() {
  const double a = alpha_.item().toDouble();
  const auto w = omega_.detach().to(torch::kFloat64);
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : stationary_intervals()) {
    best = std::min(best, distance_to_arc(a, w[0].item().toDouble(), w[1].item().toDouble(), low, high));
  }
  return best;
}

const OptionTable<DoubleWellOptions>& DoubleWellOptions::table() {
  static const auto table = [] {
    using O = DoubleWellOptions;
    OptionTable<O> t;
    // Above 4 / (3 sqrt 3) = 0.7698 the three intervals of stationary points merge.
    t.add("tilt", &O::tilt, "how far the objectives disagree", {0, 0.76, true, false});
    t.add("alpha", &O::alpha, "alpha_0, the start");
    t.add("omega", &O::omega, "omega_0, the start");
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

void DoubleWellOptions::refuse_contradictions(const OptionPlace& place) const {
  refuse_unless_pair(omega, place);
}

ProblemInfo double_well_info() {
  return problem::make_problem_info<DoubleWell, DoubleWellOptions>(
      "double_well", "non-convex objectives with three known intervals of stationary points",
      {.known_solution_set = true, .strongly_convex_lower = true});
}

}  // namespace moblo::conformance
