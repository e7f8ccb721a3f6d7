#include "moblo/conformance/quadratic.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "moblo/base/rng.hpp"
#include "moblo/conformance/matrices.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::conformance {

Quadratic::Quadratic(const QuadraticOptions& options, std::uint64_t seed) : options_(options) {
  Rng rng(derive_seed(seed, "quadratic"));
  const Eigen::Index n = options.n, p = options.p, m = options.m;
  hessian_ = hessian_of_condition(p, options.condition, rng);
  map_ = gaussian(p, n, rng) / std::sqrt(static_cast<double>(std::max(n, p)));
  shift_ = gaussian(p, 1, rng);
  lower_targets_ = gaussian(p, m, rng);
  upper_targets_ = gaussian(n, m, rng);

  const double s = options.upper_curvature;
  const Eigen::MatrixXd reduced = map_.transpose() * map_ + s * Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd right = map_.transpose() * (lower_targets_.colwise() - shift_) + s * upper_targets_;
  const Eigen::MatrixXd minimisers = reduced.completeOrthogonalDecomposition().solve(right);
  vertices_.resize(n + p, m);
  vertices_ << minimisers, (map_ * minimisers).colwise() + shift_;

  const auto type = torch::dtype(problem::scalar_type(options.dtype));
  alpha_ = to_tensor(Eigen::VectorXd(2 * gaussian(n, 1, rng)), type);
  omega_ = to_tensor(Eigen::VectorXd(2 * gaussian(p, 1, rng)), type);
  h_ = to_tensor(hessian_, type);
  b_ = to_tensor(map_, type);
  offset_ = to_tensor(shift_, type);
  u_ = to_tensor(Eigen::MatrixXd(lower_targets_.transpose()), type);
  v_ = to_tensor(Eigen::MatrixXd(upper_targets_.transpose()), type);
  upper_.add("alpha", alpha_);
  lower_.add("omega", omega_);
}

std::vector<torch::Tensor> Quadratic::upper_losses(const Batch&) {
  std::vector<torch::Tensor> losses;
  for (std::int64_t i = 0; i < options_.m; ++i) {
    losses.push_back(0.5 * (omega_ - u_[i]).square().sum() +
                     0.5 * options_.upper_curvature * (alpha_ - v_[i]).square().sum());
  }
  return losses;
}

torch::Tensor Quadratic::lower_loss(const Batch&) {
  const auto residual = omega_ - torch::mv(b_, alpha_) - offset_;
  return 0.5 * torch::dot(residual, torch::mv(h_, residual));
}

Eigen::VectorXd Quadratic::alpha() {
  return to_eigen(alpha_);
}
Eigen::VectorXd Quadratic::omega() {
  return to_eigen(omega_);
}

Eigen::VectorXd Quadratic::lower_solution(const Eigen::VectorXd& alpha) const {
  return map_ * alpha + shift_;
}

Eigen::MatrixXd Quadratic::hypergradients(const Eigen::VectorXd& alpha) const {
  const Eigen::VectorXd solution = lower_solution(alpha);
  Eigen::MatrixXd rows(options_.m, options_.n);
  for (Eigen::Index i = 0; i < options_.m; ++i) {
    rows.row(i) = (map_.transpose() * (solution - lower_targets_.col(i)) +
                   options_.upper_curvature * (alpha - upper_targets_.col(i)))
                      .transpose();
  }
  return rows;
}

Eigen::VectorXd Quadratic::exact_constraint_gradient(const Eigen::VectorXd& alpha, const Eigen::VectorXd& omega) const {
  const Eigen::VectorXd pull = hessian_ * (omega - lower_solution(alpha));
  Eigen::VectorXd gradient(options_.n + options_.p);
  gradient << -map_.transpose() * pull, pull;
  return gradient;
}

double Quadratic::lower_lipschitz() const {
  Eigen::MatrixXd residual_map(options_.p, options_.n + options_.p);  // of r in z
  residual_map << -map_, Eigen::MatrixXd::Identity(options_.p, options_.p);
  const Eigen::MatrixXd full = residual_map.transpose() * hessian_ * residual_map;
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(full, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

/// The nearest point of a convex hull is the min-norm point of the hull moved to z.
std::optional<double> Quadratic::distance_to_solution_set() {
  Eigen::VectorXd z(options_.n + options_.p);
  z << alpha(), omega();
  const Eigen::MatrixXd moved = vertices_.colwise() - z;
  qp::MinNormSolver solver;
  const auto& nearest = solver.solve(Eigen::MatrixXd(moved.transpose() * moved));
  if (!nearest.certified()) return std::nullopt;
  return (moved * nearest.weights).norm();
}

const OptionTable<QuadraticOptions>& QuadraticOptions::table() {
  static const auto table = [] {
    using O = QuadraticOptions;
    OptionTable<O> t;
    t.add("n", &O::n, "dimension of alpha", within(1, 10000));
    t.add("p", &O::p, "dimension of omega", within(1, 10000));
    t.add("m", &O::m, "number of objectives", within(1, 1000));
    t.add("condition", &O::condition, "condition number of the lower Hessian, whose largest eigenvalue is 1",
          at_least(1));
    t.add("upper_curvature", &O::upper_curvature, "weight of alpha's own term in F_i", at_least(0));
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

ProblemInfo quadratic_info() {
  return problem::make_problem_info<Quadratic, QuadraticOptions>(
      "quadratic", "quadratics of any size, number of objectives and conditioning, with closed-form answers",
      {.known_solution_set = true, .strongly_convex_lower = true});
}

}  // namespace moblo::conformance
