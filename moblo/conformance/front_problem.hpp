#pragma once

#include <Eigen/Core>
#include <string_view>

#include "moblo/base/options.hpp"
#include "moblo/conformance/known_front.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::conformance {

/// What the options of all problems with a known front have in common.
struct CommonFrontOptions {
  std::int64_t dimension;
  double condition, start;
  Dtype dtype;
};

template <class Options>
CommonFrontOptions common_options(const Options& options) {
  return {options.dimension, options.condition, options.start, options.dtype};
}

template <class Options>
void add_front_fields(OptionTable<Options>& t, double least_dimension) {
  t.add("dimension", &Options::dimension, "of alpha and of omega", within(least_dimension, 10000));
  t.add("condition", &Options::condition, "condition number of the lower Hessian, whose largest eigenvalue is 1",
        at_least(1));
  t.add("start", &Options::start, "distance of omega_0 and of omega*(alpha_0) from 0", within(0, 2));
  t.add("dtype", &Options::dtype, problem::dtype_help);
}

/// F_i(omega) with a known front above f = 1/2 r'H r, r = omega - A alpha - b, A a random rotation.
///
/// omega*(alpha) = A alpha + b reaches every omega, so the front is that of F over omega, and the solution set is
/// (A'(w - b), w) for w in the Pareto set of F.
class FrontProblem : public BilevelProblem {
 public:
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override { return known_traits(); }
  std::optional<double> distance_to_solution_set() override;
  /// "distance to the front" of the losses at (alpha, omega).
  std::vector<std::pair<std::string, double>> evaluate() override;

  virtual const KnownFront& front() const = 0;

  Eigen::VectorXd alpha() const;
  Eigen::VectorXd omega() const;
  Eigen::VectorXd lower_solution(const Eigen::VectorXd& alpha) const { return map_ * alpha + shift_; }
  /// The alpha whose lower solution is omega.
  Eigen::VectorXd alpha_of(const Eigen::VectorXd& omega) const { return map_.transpose() * (omega - shift_); }

  static ProblemTraits known_traits() { return {.known_solution_set = true, .strongly_convex_lower = true}; }

 protected:
  /// `name` keeps the draws of two problems with one seed apart.
  FrontProblem(const CommonFrontOptions& options, std::string_view name, std::uint64_t seed);

  /// The point of F's Pareto set that is nearest to omega.
  virtual Eigen::VectorXd nearest_solution(const Eigen::VectorXd& omega) const = 0;

  torch::Tensor alpha_, omega_;

 private:
  Eigen::MatrixXd map_;    // A
  Eigen::VectorXd shift_;  // b
  torch::Tensor h_, a_, b_;
};

/// A random direction of length one, from a stream of its own.
Eigen::VectorXd random_direction(Eigen::Index size, std::string_view name, std::uint64_t seed);

/// The point of the segment from -end to end that is nearest to a point.
Eigen::VectorXd nearest_on_segment(const Eigen::VectorXd& end, const Eigen::VectorXd& point);

}  // namespace moblo::conformance
