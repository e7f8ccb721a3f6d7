#include "moblo/conformance/front_octant.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/conformance/matrices.hpp"

namespace moblo::conformance {
namespace {

constexpr const char* octant_name = "front_octant";
constexpr Eigen::Index angles = 2;  ///< coordinates of omega that say where on the sphere

double length_of(const LossVector& point) {
  return std::hypot(point[0], point[1], point[2]);
}

Eigen::MatrixXd plane_of_sum_zero() {
  Eigen::MatrixXd plane(3, 2);
  plane.col(0) = Eigen::Vector3d(1, -1, 0).normalized();
  plane.col(1) = Eigen::Vector3d(1, 1, -2).normalized();
  return plane;
}

}  // namespace

double SphereOctant::diameter() const {
  return std::sqrt(2.0);  // of two corners
}

/// The nearest point of the octant to a point with a positive coordinate has its direction, negative ones set to 0; to
/// any other it is the corner of its largest coordinate.
double SphereOctant::distance(const LossVector& losses) const {
  const auto& point = one_each(losses, 3);
  LossVector nearest;
  for (const double loss : point) nearest.push_back(std::max(loss, 0.0));
  if (length_of(nearest) == 0) {
    nearest[static_cast<std::size_t>(std::max_element(point.begin(), point.end()) - point.begin())] = 1;
  }
  const double scale = 1 / length_of(nearest);
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) square += std::pow(point[i] - scale * nearest[i], 2);
  return std::sqrt(square);
}

/// |z + t d| = 1 with |d| = 1: t = sqrt(<z, d>^2 + 1 - |z|^2) - <z, d>, the way out of the ball.
std::optional<LossVector> SphereOctant::on_ray(const LossVector& preference, const LossVector& reference) const {
  const auto d = ray_direction(preference, 3), z = full_reference(reference, 3);
  const double along = z[0] * d[0] + z[1] * d[1] + z[2] * d[2], square = along * along + 1 - std::pow(length_of(z), 2);
  const double t = std::sqrt(square) - along;
  if (!(t > 0)) return std::nullopt;
  LossVector found;
  for (std::size_t i = 0; i < 3; ++i) {
    found.push_back(z[i] + t * d[i]);
    if (found[i] < 0) return std::nullopt;
  }
  return found;
}

std::vector<LossVector> SphereOctant::points(std::size_t count) const {
  constexpr double plastic = 1.3247179572447460;  // the root of x^3 = x + 1: steps 1/x and 1/x^2 spread evenly
  std::vector<LossVector> found;
  for (std::size_t k = 1; k <= count; ++k) {
    const double up = std::fmod(0.5 + static_cast<double>(k) / plastic, 1.0);
    const double angle = M_PI / 2 * std::fmod(0.5 + static_cast<double>(k) / (plastic * plastic), 1.0);
    const double out = std::sqrt(1 - up * up);
    found.push_back({out * std::cos(angle), out * std::sin(angle), up});
  }
  return found;
}

FrontOctant::FrontOctant(const FrontOctantOptions& options, std::uint64_t seed)
    : FrontProblem(common_options(options), octant_name, seed),
      plane_(to_tensor(plane_of_sum_zero(), omega_.options())) {}

std::vector<torch::Tensor> FrontOctant::upper_losses(const Batch&) {
  const auto squares = (1 + torch::mv(plane_, omega_.narrow(0, 0, angles))).square();
  const auto rest = omega_.narrow(0, angles, omega_.size(0) - angles);
  const auto losses = squares / squares.square().sum().sqrt() + rest.square().sum();
  return losses.unbind();
}

Eigen::VectorXd FrontOctant::nearest_solution(const Eigen::VectorXd& omega) const {
  Eigen::VectorXd nearest = omega;
  nearest.tail(omega.size() - angles).setZero();
  return nearest;
}

const OptionTable<FrontOctantOptions>& FrontOctantOptions::table() {
  static const auto table = [] {
    OptionTable<FrontOctantOptions> t;
    add_front_fields(t, angles);
    return t;
  }();
  return table;
}

ProblemInfo front_octant_info() {
  return problem::make_problem_info<FrontOctant, FrontOctantOptions>(
      octant_name, "three objectives above a quadratic lower level, whose known front is an octant of the sphere",
      FrontProblem::known_traits());
}

}  // namespace moblo::conformance
