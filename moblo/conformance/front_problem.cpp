#include "moblo/conformance/front_problem.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/base/rng.hpp"
#include "moblo/conformance/matrices.hpp"

namespace moblo::conformance {
namespace {

Eigen::VectorXd unit_vector(Eigen::Index size, Rng& rng) {
  return gaussian(size, 1, rng).normalized();
}

}  // namespace

FrontProblem::FrontProblem(const CommonFrontOptions& options, std::string_view name, std::uint64_t seed) {
  Rng rng(derive_seed(seed, name));
  const Eigen::Index size = options.dimension;
  const Eigen::MatrixXd hessian = hessian_of_condition(size, options.condition, rng);
  map_ = rotation(size, rng);
  shift_ = gaussian(size, 1, rng);
  const Eigen::VectorXd solved = options.start * unit_vector(size, rng), omega = options.start * unit_vector(size, rng);

  const auto type = torch::dtype(problem::scalar_type(options.dtype));
  alpha_ = to_tensor(alpha_of(solved), type);
  omega_ = to_tensor(omega, type);
  h_ = to_tensor(hessian, type);
  a_ = to_tensor(map_, type);
  b_ = to_tensor(shift_, type);
  upper_.add("alpha", alpha_);
  lower_.add("omega", omega_);
}

torch::Tensor FrontProblem::lower_loss(const Batch&) {
  const auto residual = omega_ - torch::mv(a_, alpha_) - b_;
  return 0.5 * torch::dot(residual, torch::mv(h_, residual));
}

Eigen::VectorXd FrontProblem::alpha() const {
  return to_eigen(alpha_);
}

Eigen::VectorXd FrontProblem::omega() const {
  return to_eigen(omega_);
}

/// A is a rotation, so |alpha - A'(w - b)| = |omega*(alpha) - w|, and the w that is nearest to omega and omega*(alpha)
/// together is the one nearest to their middle.
std::optional<double> FrontProblem::distance_to_solution_set() {
  const Eigen::VectorXd here = omega(), solved = lower_solution(alpha());
  const Eigen::VectorXd nearest = nearest_solution((here + solved) / 2);
  return std::hypot((here - nearest).norm(), (solved - nearest).norm());
}

std::vector<std::pair<std::string, double>> FrontProblem::evaluate() {
  const torch::NoGradGuard values_only;
  LossVector losses;
  for (const auto& loss : upper_losses({})) losses.push_back(loss.item().toDouble());
  return {{"distance to the front", front().distance(losses)}};
}

Eigen::VectorXd random_direction(Eigen::Index size, std::string_view name, std::uint64_t seed) {
  Rng rng(derive_seed(seed, name, 1));
  return unit_vector(size, rng);
}

Eigen::VectorXd nearest_on_segment(const Eigen::VectorXd& end, const Eigen::VectorXd& point) {
  return std::clamp(point.dot(end) / end.squaredNorm(), -1.0, 1.0) * end;
}

}  // namespace moblo::conformance
