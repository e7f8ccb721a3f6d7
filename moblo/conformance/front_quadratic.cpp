#include "moblo/conformance/front_quadratic.hpp"

#include "moblo/conformance/matrices.hpp"

namespace moblo::conformance {
namespace {

constexpr const char* quadratic_name = "front_quadratic";

FrontCurve::Point quadratic_front(double s) {
  return {s * s, (1 - s) * (1 - s)};
}

}  // namespace

FrontQuadratic::FrontQuadratic(const FrontQuadraticOptions& options, std::uint64_t seed)
    : FrontProblem(common_options(options), quadratic_name, seed),
      end_(0.5 * random_direction(options.dimension, quadratic_name, seed)),
      c_(to_tensor(end_, omega_.options())),
      front_(quadratic_front) {}

std::vector<torch::Tensor> FrontQuadratic::upper_losses(const Batch&) {
  return {(omega_ - c_).square().sum(), (omega_ + c_).square().sum()};
}

Eigen::VectorXd FrontQuadratic::nearest_solution(const Eigen::VectorXd& omega) const {
  return nearest_on_segment(end_, omega);
}

const OptionTable<FrontQuadraticOptions>& FrontQuadraticOptions::table() {
  static const auto table = [] {
    OptionTable<FrontQuadraticOptions> t;
    add_front_fields(t, 1);
    return t;
  }();
  return table;
}

ProblemInfo front_quadratic_info() {
  return problem::make_problem_info<FrontQuadratic, FrontQuadraticOptions>(
      quadratic_name, "two quadratics above a quadratic lower level, with a convex front in closed form",
      FrontProblem::known_traits());
}

}  // namespace moblo::conformance
