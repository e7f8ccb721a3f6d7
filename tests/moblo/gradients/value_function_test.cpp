#include "moblo/gradients/value_function.hpp"

#include <gtest/gtest.h>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/problem/lower_kernel.hpp"
#include "tests/moblo/gradients/dense_weights.hpp"
#include "tests/moblo/gradients/tolerances.hpp"

namespace moblo::gradients {
namespace {

Eigen::VectorXd to_eigen(const torch::Tensor& row) {
  const auto dense = row.to(torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(dense.data_ptr<double>(), dense.numel());
}

InnerSolve inner_solve(std::int64_t steps, double step_size) {
  InnerSolve inner;
  inner.steps = steps;
  inner.step_size = step_size;
  return inner;
}

TEST(ValueFunction, GradientOfQConvergesToTheClosedForm) {
  conformance::Quadratic problem({.n = 4, .p = 6, .m = 2, .condition = 3}, 1);
  const auto exact = problem.exact_constraint_gradient(problem.alpha(), problem.omega());
  GradientMatrix matrix;
  PhaseTimer timer;
  value_function_gradient(problem, inner_solve(200, 1.0), 2, matrix, timer);
  EXPECT_LT((to_eigen(matrix.row(2)) - exact).norm(), 1e-9 * exact.norm());
}

TEST(ValueFunction, InnerSolveTakesTheStepsOfGradientDescent) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1, .condition = 4}, 5);
  const Eigen::VectorXd start = problem.omega(), solution = problem.lower_solution(problem.alpha());
  GradientMatrix matrix;
  PhaseTimer timer;
  const double eta = 0.7;
  const auto gap = value_function_gradient(problem, inner_solve(3, eta), 1, matrix, timer);
  // w <- w - eta H (w - w*), with H (w - w*) from the closed form of grad q.
  Eigen::VectorXd w = start;
  for (int t = 0; t < 3; ++t) w -= eta * problem.exact_constraint_gradient(problem.alpha(), w).tail(3);
  EXPECT_LT((to_eigen(gap.reached) - w).norm(), testing::f64.value * (1 + w.norm()));
  EXPECT_LT((w - solution).norm(), (start - solution).norm());
}

TEST(ValueFunction, NoInnerStepsMeanThatQAndItsAlphaGradientVanish) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1}, 5);
  GradientMatrix matrix;
  PhaseTimer timer;
  const auto gap = value_function_gradient(problem, inner_solve(0, 0.1), 1, matrix, timer);
  EXPECT_EQ(gap.q(), 0);
  EXPECT_EQ(matrix.upper_part(1).abs().max().item().toDouble(), 0);
}

TEST(ValueFunction, TheIterateIsUntouchedByTheInnerSolve) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1}, 5);
  const auto alpha = problem.upper().values().clone(), omega = problem.lower().values().clone();
  GradientMatrix matrix;
  PhaseTimer timer;
  value_function_gradient(problem, inner_solve(10, 0.1), 1, matrix, timer);
  EXPECT_TRUE(torch::equal(problem.upper().values(), alpha));
  EXPECT_TRUE(torch::equal(problem.lower().values(), omega));
}

TEST(ValueFunction, TheLossLimitEndsTheLoop) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1}, 5);
  GradientMatrix matrix;
  PhaseTimer timer;
  auto inner = inner_solve(1000, 5.0);  // beyond 2/L: the loop diverges
  inner.loss_limit = 1e5;
  const auto gap = value_function_gradient(problem, inner, 1, matrix, timer);
  EXPECT_TRUE(std::isfinite(gap.reached_loss));
  EXPECT_GT(gap.reached_loss, 1e5);
}

/// f = |w|^2 / 2 at w = 4, eta = 3: w = 4, -8, 16, f = 8, 32, 128.
class Parabola : public BilevelProblem {
 public:
  Parabola() {
    upper_.add("a", torch::zeros({1}, torch::kFloat64));
    lower_.add("w", torch::full({1}, 4.0, torch::kFloat64));
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return {w().square().sum()}; }
  torch::Tensor lower_loss(const Batch&) override { return w().square().sum() / 2 + 0 * upper_.leaves()[0].sum(); }

 protected:
  torch::Tensor w() { return lower_.leaves()[0]; }
};

/// The same with derivatives by hand.
class ParabolaByHand : public Parabola, public LowerKernel {
 public:
  double descend(const Batch&, const torch::Tensor& omega, double eta) override {
    const double before = omega.square().sum().item().toDouble() / 2;
    omega.mul_(1 - eta);
    return before;
  }
  std::vector<torch::Tensor> pull_back(const Batch&, const torch::Tensor&, double, const torch::Tensor&) override {
    return {};
  }
};

template <class Problem>
double reached_within(double limit, bool fresh, bool from_current) {
  Problem problem;
  GradientMatrix matrix;
  PhaseTimer timer;
  auto inner = inner_solve(5, 3);
  inner.loss_limit = limit;
  inner.fresh_batches = fresh;
  inner.from_current = from_current;
  if (!from_current) inner.start = problem.lower().values().clone();
  const auto gap = value_function_gradient(problem, inner, 1, matrix, timer);
  EXPECT_EQ(gap.lower_loss, 8);
  EXPECT_EQ(gap.reached_loss, gap.reached.item().toDouble() * gap.reached.item().toDouble() / 2);
  EXPECT_EQ(solve_lower(problem, inner).item().toDouble(), gap.reached.item().toDouble());
  return gap.reached.item().toDouble();
}

/// No step from a point above the limit, the first included.
TEST(ValueFunction, TheLossLimitIsTestedBeforeEveryStep) {
  for (const bool fresh : {false, true}) {
    for (const bool from_current : {false, true}) {
      for (const auto& [limit, reached] : {std::pair{7.0, 4.0}, {8.0, -8.0}, {31.0, -8.0}, {32.0, 16.0}}) {
        EXPECT_EQ(reached_within<Parabola>(limit, fresh, from_current), reached) << limit;
        EXPECT_EQ(reached_within<ParabolaByHand>(limit, fresh, from_current), reached) << limit;
      }
      constexpr double none = std::numeric_limits<double>::infinity();
      EXPECT_EQ(reached_within<Parabola>(none, fresh, from_current), -128);
      EXPECT_EQ(reached_within<ParabolaByHand>(none, fresh, from_current), -128);
    }
  }
}

TEST(UpperJacobian, RowsAreGradientsOfEachLossOverBothLevels) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 3}, 2);
  GradientMatrix matrix;
  PhaseTimer timer;
  value_function_gradient(problem, inner_solve(1, 0.1), 3, matrix, timer);
  const auto losses = upper_jacobian(problem, {}, matrix);
  ASSERT_EQ(losses.size(), 3U);
  const auto tensors = problem.upper_losses({});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto expected = torch::autograd::grad(
        {tensors[i]}, {problem.upper().leaves()[0], problem.lower().leaves()[0]}, {}, /*retain_graph=*/true);
    EXPECT_LT(testing::distance(matrix.upper_part(static_cast<std::int64_t>(i)), expected[0]), testing::f64.gradient);
    EXPECT_LT(testing::distance(matrix.lower_part(static_cast<std::int64_t>(i)), expected[1]), testing::f64.gradient);
    EXPECT_NEAR(losses[i], tensors[i].item().toDouble(), testing::f64.value);
  }
}

TEST(ValueFunction, SlicesGiveTheSameGramianAndColumnsAsDenseWeights) {
  lab::problems::NoisyRegression rows({.tasks = 2, .samples = 50, .batch = 8, .dtype = Dtype::f64}, 3);
  std::vector<torch::Tensor> dense_weights;
  for (auto& table : rows.upper().tables()) {
    table.values.copy_(torch::randn_like(table.values));
    dense_weights.push_back(table.values.clone());
  }
  GradientMatrix sliced, dense;
  PhaseTimer timer;
  std::vector<torch::Tensor> coordinates;
  {
    const problem::SlicesOpen open(rows.upper());
    value_function_gradient(rows, inner_solve(5, 0.1), 2, sliced, timer);
    upper_jacobian(rows, rows.upper_batches().at(0), sliced);
    for (const auto& slice : rows.upper().slices()) coordinates.push_back(slice.coordinates);
  }
  EXPECT_EQ(sliced.upper_columns(), 16);  // 2 tasks x 8 samples, not 100

  rows.lower_batches().seek(0);
  testing::DenseWeights same(rows, dense_weights);
  value_function_gradient(same, inner_solve(5, 0.1), 2, dense, timer);
  upper_jacobian(same, rows.upper_batches().at(0), dense);
  EXPECT_EQ(dense.upper_columns(), 100);
  EXPECT_LT((sliced.gramian() - dense.gramian()).norm(), testing::f64.value);
  const auto columns = dense.upper_part(2).view({2, 50});
  for (std::int64_t task = 0; task < 2; ++task) {
    const auto expected = columns[task].index_select(0, coordinates[static_cast<std::size_t>(task)]);
    EXPECT_LT(testing::distance(sliced.upper_part(2).narrow(0, 8 * task, 8), expected), testing::f64.gradient);
  }
}

/// A module with running statistics at the lower level.
class Normalised : public BilevelProblem {
 public:
  Normalised() {
    norm->to(torch::kFloat64);
    lower_.add("norm", *norm);
    upper_.add("shift", shift_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return {lower_loss({})}; }
  torch::Tensor lower_loss(const Batch&) override { return (norm->forward(input_) - shift_).square().mean(); }

  torch::nn::BatchNorm1d norm{2};

 private:
  torch::Tensor shift_ = torch::ones({2}, torch::kFloat64), input_ = torch::arange(8, torch::kFloat64).view({4, 2});
};

TEST(ValueFunction, ModuleBuffersSeeTheLossAtZButNotTheInnerSolve) {
  Normalised once, many;
  GradientMatrix matrix;
  PhaseTimer timer;
  once.lower_loss({});
  value_function_gradient(many, inner_solve(25, 0.1), 1, matrix, timer);
  EXPECT_TRUE(torch::equal(many.norm->running_mean, once.norm->running_mean));
  EXPECT_EQ(many.norm->num_batches_tracked.item().toInt(), 1);
}

}  // namespace
}  // namespace moblo::gradients
