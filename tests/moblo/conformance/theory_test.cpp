// What the paper proves, on problems that meet its assumptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/gradients/value_function.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/training/training.hpp"

namespace moblo::conformance {
namespace {

class Collect : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
  std::vector<StepRecord> records;
};

Eigen::VectorXd to_eigen(const torch::Tensor& row) {
  const auto dense = row.contiguous();
  return Eigen::Map<const Eigen::VectorXd>(dense.data_ptr<double>(), dense.numel());
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n, my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  return xy / xx;
}

/// Lemma 1: |grad q~ - grad q| <= L_f (1 - c eta / 2)^T |w~_0 - w*| for eta <= 2 / (L_f + c).
TEST(Lemma1, ErrorOfTheConstraintGradientDecaysExponentiallyWithinTheBound) {
  for (const double condition : {2.0, 10.0, 100.0}) {
    Quadratic problem({.n = 4, .p = 6, .m = 2, .condition = condition}, 8);
    const double c = problem.lower_strong_convexity(), lipschitz = problem.lower_lipschitz(), eta = 2 / (lipschitz + c);
    const Eigen::VectorXd exact = problem.exact_constraint_gradient(problem.alpha(), problem.omega());
    const double start = (problem.omega() - problem.lower_solution(problem.alpha())).norm();
    std::vector<double> steps, log_error;
    for (const std::int64_t t : {0, 1, 2, 5, 10, 20, 40, 80}) {
      gradients::GradientMatrix matrix;
      PhaseTimer timer;
      InnerSolve inner;
      inner.steps = t;
      inner.step_size = eta;
      gradients::value_function_gradient(problem, inner, 2, matrix, timer);
      const double error = (to_eigen(matrix.row(2)) - exact).norm();
      const double bound = lipschitz * std::pow(1 - c * eta / 2, static_cast<double>(t)) * start;
      EXPECT_LE(error, bound) << "condition " << condition << ", T " << t;
      if (error < 1e-13) continue;  // rounding
      steps.push_back(static_cast<double>(t));
      log_error.push_back(std::log(error));
    }
    ASSERT_GE(steps.size(), 4U);
    EXPECT_LE(slope(steps, log_error), std::log(1 - c * eta / 2)) << "condition " << condition;
  }
}

/// Theorem 1: with mu = O(K^-1/2), beta = O(K^-3/4), max(min_k K(z_k), q(z_K)) = O(K^-1/4 + Gamma(T)).
template <class MakeProblem>
double rate(MakeProblem make_problem, const ForumOptions& base) {
  std::vector<double> log_k, log_gap;
  for (const std::int64_t iterations : {100, 300, 900, 2700}) {
    auto problem = make_problem();
    ForumOptions options = base;
    options.beta_exponent = 0;
    options.beta_scale = std::pow(static_cast<double>(iterations), -0.75);
    Forum forum(options);
    TrainingOptions training;
    training.iterations = iterations;
    training.checkpoint_every = 0;
    training.optimiser.alpha.step_size = training.optimiser.omega.step_size =
        std::pow(static_cast<double>(iterations), -0.5);
    Collect collect;
    RunControl control;
    control.observers = {&collect};
    train(*problem, forum, training, control);
    double least = collect.records.front().kkt;
    for (const auto& record : collect.records) least = std::min(least, record.kkt);
    log_k.push_back(std::log(static_cast<double>(iterations)));
    log_gap.push_back(std::log(std::max({least, collect.records.back().q, 1e-30})));
  }
  return slope(log_k, log_gap);
}

TEST(Theorem1, StationarityAndFeasibilityFallAtLeastAsFastAsTheRateOnTheSyntheticProblem) {
  const auto make = [] { return std::make_unique<Synthetic>(SyntheticOptions{.alpha = 2, .omega = {0, 3}}); };
  EXPECT_LE(rate(make, {.inner_steps = 50, .inner_step_size = 0.05, .rho = 0.3}), -0.25);
}

TEST(Theorem1, StationarityAndFeasibilityFallAtLeastAsFastAsTheRateOnAQuadratic) {
  const auto make = [] {
    return std::make_unique<Quadratic>(QuadraticOptions{.n = 3, .p = 5, .m = 3, .condition = 5}, 1);
  };
  EXPECT_LE(rate(make, {.inner_steps = 60, .inner_step_size = 0.5, .rho = 0.5}), -0.25);
}

/// The discussion of the weights sequence: lambda~ converges, so the way it still has to go gets short.
TEST(SmoothedWeights, Converge) {
  Quadratic problem({.n = 3, .p = 5, .m = 3, .condition = 5}, 1);
  Forum forum({.inner_steps = 60, .inner_step_size = 0.5, .rho = 0.5});
  TrainingOptions training;
  training.iterations = 4000;
  Collect collect;
  RunControl control;
  control.observers = {&collect};
  train(problem, forum, training, control);
  const auto spread = [&](std::size_t first, std::size_t last) {
    double widest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      double low = 1, high = 0;
      for (std::size_t k = first; k < last; ++k) {
        low = std::min(low, collect.records[k].weights[i]);
        high = std::max(high, collect.records[k].weights[i]);
      }
      widest = std::max(widest, high - low);
    }
    return widest;
  };
  const double early = spread(0, 1000), late = spread(3000, 4000);
  EXPECT_LT(late, 0.02);
  EXPECT_LT(late, early / 5);
}

}  // namespace
}  // namespace moblo::conformance
