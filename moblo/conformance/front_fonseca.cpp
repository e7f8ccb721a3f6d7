#include "moblo/conformance/front_fonseca.hpp"

#include <cmath>

#include "moblo/conformance/matrices.hpp"
#include "moblo/conformance/scalar_search.hpp"

namespace moblo::conformance {
namespace {

constexpr const char* fonseca_name = "front_fonseca";

double bump(double distance) {
  return -std::expm1(-distance * distance);
}

}  // namespace

FrontFonseca::FrontFonseca(const FrontFonsecaOptions& options, std::uint64_t seed)
    : FrontProblem(common_options(options), fonseca_name, seed),
      end_(options.half_distance * random_direction(options.dimension, fonseca_name, seed)),
      c_(to_tensor(end_, omega_.options())),
      front_([length = 2 * options.half_distance](double s) -> FrontCurve::Point {
        return {bump(length * s), bump(length * (1 - s))};
      }) {}

std::vector<torch::Tensor> FrontFonseca::upper_losses(const Batch&) {
  return {-torch::expm1(-(omega_ - c_).square().sum()), -torch::expm1(-(omega_ + c_).square().sum())};
}

Eigen::VectorXd FrontFonseca::nearest_solution(const Eigen::VectorXd& omega) const {
  return nearest_on_segment(end_, omega);
}

/// The front equals its mirror image, so the edge of its convex hull that bridges the concave part has slope -1 and
/// touches at +-t with h(l (1 - t)) = h(l (1 + t)), h(x) = x exp(-x^2). Along the front
/// log h(l (1 + t)) - log h(l (1 - t)) falls until t^2 = 1 - 1 / (2 l^2) and rises from there on, to infinity.
double FrontFonseca::weighted_sum_gap() const {
  const double square = end_.squaredNorm(), turn = 1 - 1 / (2 * square);
  if (turn <= 0) return 0;
  const auto ratio = [square](double t) { return std::log((1 + t) / (1 - t)) - 4 * square * t; };
  return rising_root(std::sqrt(turn), 1, ratio);
}

const OptionTable<FrontFonsecaOptions>& FrontFonsecaOptions::table() {
  static const auto table = [] {
    OptionTable<FrontFonsecaOptions> t;
    add_front_fields(t, 1);
    t.add("half_distance", &FrontFonsecaOptions::half_distance,
          "|c|, half the way between the two minimisers; above 0.7071 a part of the front is not convex",
          {0, 3, true, false});
    return t;
  }();
  return table;
}

ProblemInfo front_fonseca_info() {
  return problem::make_problem_info<FrontFonseca, FrontFonsecaOptions>(
      fonseca_name,
      "Fonseca and Fleming's objectives above a quadratic lower level; most of the known front is not convex",
      FrontProblem::known_traits());
}

}  // namespace moblo::conformance
