#include "moblo/gradients/hypergradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/double_well.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/gradients/linear_solve.hpp"
#include "tests/moblo/gradients/dense_weights.hpp"
#include "tests/moblo/gradients/tolerances.hpp"

namespace moblo::gradients {
namespace {

// Central differences err by h^2 F'''/6 + eps |F| / h, about 1e-10 for h = eps^(1/3) and losses of order one.
constexpr double difference_tolerance = 1e-8;

HypergradientSolve solve(HypergradientMode mode, std::int64_t steps, double eta, bool fresh = true) {
  HypergradientSolve how;
  how.mode = mode;
  how.inner.steps = steps;
  how.inner.step_size = eta;
  how.inner.fresh_batches = fresh;
  return how;
}

/// F_i(alpha, w_T(alpha)) with the lower loop written out: what the hypergradients must be the derivatives of.
std::vector<double> losses_after_the_loop(BilevelProblem& problem, const InnerSolve& inner) {
  auto& lower = problem.lower();
  auto omega = lower.values().clone();
  auto pieces = lower.pieces(omega);
  const problem::BoundElsewhere there(lower, omega);
  for (std::int64_t t = 0; t < inner.steps; ++t) {
    const auto loss = problem.lower_loss(problem.lower_batches().at(inner.fresh_batches ? t : 0));
    const auto gradients = torch::autograd::grad({loss}, lower.leaves(), {}, false, false, true);
    torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) pieces[i].sub_(gradients[i], inner.step_size);
    }
  }
  std::vector<double> values;
  for (const auto& loss : problem.upper_losses(problem.upper_batches().at(0))) values.push_back(loss.item().toDouble());
  return values;
}

/// Derivatives of `losses` by one number, one per objective.
std::vector<double> central_difference(double& at, const std::function<std::vector<double>()>& losses) {
  const double x = at, h = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(x));
  at = x + h;
  const auto high = losses();
  at = x - h;
  auto slopes = losses();
  at = x;
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = (high[i] - slopes[i]) / (2 * h);
  return slopes;
}

/// The largest relative difference between hypergradients and differences of the whole lower loop, over all of alpha:
/// dense coordinates and every row of every table, touched or not.
double error_against_differences(
    BilevelProblem& problem, const HypergradientSolve& how, const std::function<void()>& before_each = [] {}) {
  auto& upper = problem.upper();
  const auto losses = [&] {
    before_each();
    return losses_after_the_loop(problem, how.inner);
  };
  const auto objectives = static_cast<std::int64_t>(losses().size());
  problem.lower_batches().seek(0);
  problem.upper_batches().seek(0);
  const problem::SlicesOpen open(upper);
  GradientMatrix matrix;
  PhaseTimer timer;
  before_each();
  hypergradients(problem, how, objectives, matrix, timer);

  std::vector<torch::Tensor> expected{torch::zeros({objectives, upper.dense_size()}, torch::kFloat64)};
  const auto dense = upper.values();
  for (std::int64_t j = 0; j < dense.numel(); ++j) {
    const auto slopes = central_difference(dense.data_ptr<double>()[j], losses);
    for (std::size_t i = 0; i < slopes.size(); ++i) expected[0][static_cast<std::int64_t>(i)][j] = slopes[i];
  }
  double worst = 0;
  const auto slices = upper.slices();  // differences read alpha's own values, not the leaves
  const problem::SlicesPaused values_only(upper);
  std::int64_t at = upper.dense_size();
  const auto compare = [&](const torch::Tensor& found, const torch::Tensor& wanted) {
    if (found.numel() == 0) return;
    const auto scale = wanted.abs().clamp_min(1);
    worst = std::max(worst, ((found - wanted).abs() / scale).max().item().toDouble());
  };
  for (std::int64_t i = 0; i < objectives; ++i) compare(matrix.row(i).narrow(0, 0, at), expected[0][i]);
  for (const auto& slice : slices) {
    auto& values = upper.tables()[slice.table].values;
    auto full = torch::zeros({objectives, values.size(0)}, torch::kFloat64), wanted = torch::zeros_like(full);
    for (std::int64_t i = 0; i < objectives; ++i) {
      full[i].index_copy_(0, slice.coordinates, matrix.row(i).narrow(0, at, slice.leaf.numel()));
    }
    for (std::int64_t j = 0; j < values.size(0); ++j) {
      const auto slopes = central_difference(values.data_ptr<double>()[j], losses);
      for (std::size_t i = 0; i < slopes.size(); ++i) wanted[static_cast<std::int64_t>(i)][j] = slopes[i];
    }
    compare(full, wanted);
    at += slice.leaf.numel();
  }
  return worst;
}

lab::problems::NoisyRegressionOptions small_regression() {
  return {.tasks = 2, .samples = 12, .trusted = 6, .features = 3, .hidden = 4, .batch = 5, .dtype = Dtype::f64};
}

/// Weights of all sizes, so that the sigmoids differ.
void spread_weights(BilevelProblem& problem) {
  torch::manual_seed(5);
  for (auto& table : problem.upper().tables()) table.values.copy_(torch::randn_like(table.values));
}

class UnrolledTest : public ::testing::TestWithParam<HypergradientMode> {};

TEST_P(UnrolledTest, EqualsDifferencesOfTheWholeLowerLoop) {
  for (const std::int64_t steps : {1, 2, 5, 16}) {
    conformance::Quadratic quadratic({.n = 3, .p = 4, .m = 3, .condition = 5}, 2);
    EXPECT_LT(error_against_differences(quadratic, solve(GetParam(), steps, 0.7)), difference_tolerance) << steps;
    conformance::DoubleWell well({.alpha = 1.3, .omega = {0.2, -0.4}});
    EXPECT_LT(error_against_differences(well, solve(GetParam(), steps, 0.4)), difference_tolerance) << steps;
    for (const bool fresh : {true, false}) {
      lab::problems::NoisyRegression regression(small_regression(), 3);
      spread_weights(regression);
      EXPECT_LT(error_against_differences(regression, solve(GetParam(), steps, 0.3, fresh)), difference_tolerance)
          << steps << (fresh ? " fresh batches" : " times one batch");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothModes, UnrolledTest,
                         ::testing::Values(HypergradientMode::reverse, HypergradientMode::checkpointed));

/// A lower model with dropout: the way back must drop the units that the way there dropped.
class DropsOut : public BilevelProblem {
 public:
  DropsOut() {
    layer_->to(torch::kFloat64);
    torch::NoGradGuard no_grad;
    layer_->weight.copy_(torch::arange(12, torch::kFloat64).view({3, 4}) / 10 - 0.5);
    layer_->bias.zero_();
    lower_.add("layer", *layer_);
    upper_.add("target", target_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    return {layer_->forward(input_).square().mean(), (layer_->weight - 1).square().mean() + target_.square().sum()};
  }
  torch::Tensor lower_loss(const Batch&) override {
    const auto hidden = torch::dropout(torch::tanh(layer_->forward(input_)), 0.5, /*train=*/true);
    return (hidden - target_).square().mean();
  }

 private:
  torch::nn::Linear layer_{4, 3};
  torch::Tensor target_ = torch::tensor({0.3, -0.2, 0.5}, torch::kFloat64),
                input_ = torch::linspace(-1, 1, 20, torch::kFloat64).view({5, 4});
};

TEST(Hypergradient, ReplaysTheDropoutOfEachStep) {
  for (const auto mode : {HypergradientMode::reverse, HypergradientMode::checkpointed}) {
    DropsOut problem;
    const auto seed = [] { torch::manual_seed(11); };
    EXPECT_LT(error_against_differences(problem, solve(mode, 9, 0.5), seed), difference_tolerance);
  }
}

struct Found {
  torch::Tensor values, reached, random_state;
  std::int64_t held, lower_position, upper_position;
};

Found find(BilevelProblem& problem, const HypergradientSolve& how, std::int64_t objectives) {
  const problem::SlicesOpen open(problem.upper());
  GradientMatrix matrix;
  PhaseTimer timer;
  torch::manual_seed(3);
  const auto result = hypergradients(problem, how, objectives, matrix, timer);
  std::vector<torch::Tensor> rows;
  for (std::int64_t i = 0; i < objectives; ++i) rows.push_back(matrix.row(i).clone());
  return {torch::stack(rows),
          result.reached,
          at::detail::getDefaultCPUGenerator().get_state(),
          result.iterates_held,
          problem.lower_batches().position(),
          problem.upper_batches().position()};
}

TEST(Hypergradient, CheckpointedEqualsReverseBitForBitAndLeavesTheSameStateBehind) {
  for (const std::int64_t steps : {1, 2, 3, 5, 16, 17, 30}) {
    lab::problems::NoisyRegression one({.samples = 40, .batch = 7}, 1),
        other({.samples = 40, .batch = 7}, 1);  // single precision
    const auto reverse = find(one, solve(HypergradientMode::reverse, steps, 0.2), 2);
    const auto checkpointed = find(other, solve(HypergradientMode::checkpointed, steps, 0.2), 2);
    EXPECT_TRUE(torch::equal(reverse.values, checkpointed.values)) << steps;
    EXPECT_TRUE(torch::equal(reverse.reached, checkpointed.reached)) << steps;
    EXPECT_EQ(reverse.lower_position, checkpointed.lower_position);
    EXPECT_EQ(reverse.lower_position, steps);
    EXPECT_EQ(reverse.upper_position, checkpointed.upper_position);
    DropsOut dropped, again;
    const auto a = find(dropped, solve(HypergradientMode::reverse, steps, 0.2), 2);
    const auto b = find(again, solve(HypergradientMode::checkpointed, steps, 0.2), 2);
    EXPECT_TRUE(torch::equal(a.values, b.values)) << steps;
    EXPECT_TRUE(torch::equal(a.random_state, b.random_state)) << steps;
  }
}

TEST(Hypergradient, ReverseHoldsTIteratesAndCheckpointedTwiceTheRootOfT) {
  for (const std::int64_t steps : {1, 4, 16, 64, 100, 256}) {
    conformance::Quadratic problem({.n = 2, .p = 3, .m = 2}, 1);
    EXPECT_EQ(find(problem, solve(HypergradientMode::reverse, steps, 0.1), 2).held, steps);
    const auto held = find(problem, solve(HypergradientMode::checkpointed, steps, 0.1), 2).held;
    EXPECT_LE(static_cast<double>(held), 2 * std::ceil(std::sqrt(static_cast<double>(steps)))) << steps;
    EXPECT_EQ(find(problem, solve(HypergradientMode::cg, steps, 0.1), 2).held, 0);
    EXPECT_EQ(most_iterates(solve(HypergradientMode::reverse, steps, 0.1)), steps);
    EXPECT_EQ(most_iterates(solve(HypergradientMode::checkpointed, steps, 0.1)), held) << steps;
  }
}

TEST(Hypergradient, ManyStepsAndImplicitModesReachTheClosedFormOfTheQuadratic) {
  conformance::Quadratic problem({.n = 4, .p = 6, .m = 3, .condition = 10}, 7);
  const Eigen::MatrixXd exact = problem.hypergradients(problem.alpha());
  for (const auto mode : {HypergradientMode::reverse, HypergradientMode::checkpointed, HypergradientMode::cg,
                          HypergradientMode::neumann}) {
    auto how = solve(mode, 400, 1.0);  // (1 - 1/10)^400 is below rounding
    how.solver_steps = mode == HypergradientMode::neumann ? 400 : 20;
    const auto found = find(problem, how, 3).values;
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index j = 0; j < 4; ++j) EXPECT_NEAR(found[i][j].item().toDouble(), exact(i, j), 1e-9);
    }
  }
}

/// f has a constant Hessian here: a series of T terms is what T lower steps pass back.
TEST(Hypergradient, NeumannSeriesOfTTermsEqualsDifferencesOfTStepsOnTheQuadratic) {
  for (const std::int64_t steps : {1, 2, 5, 16}) {
    conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 5}, 2);
    auto how = solve(HypergradientMode::neumann, steps, 0.7);
    how.solver_steps = steps;
    EXPECT_LT(error_against_differences(problem, how), difference_tolerance) << steps;
  }
}

TEST(Hypergradient, ImplicitModesEqualDifferencesOfASolvedLowerLoop) {
  for (const auto mode : {HypergradientMode::cg, HypergradientMode::neumann}) {
    conformance::DoubleWell problem({.alpha = 1.3, .omega = {0.2, -0.4}});
    auto how = solve(mode, 60, 0.5);
    how.solver_steps = mode == HypergradientMode::neumann ? 60 : 5;
    EXPECT_LT(error_against_differences(problem, how), difference_tolerance);
  }
}

TEST(Hypergradient, SlicesEqualDenseWeights) {
  lab::problems::NoisyRegression rows({.tasks = 2, .samples = 50, .batch = 8, .dtype = Dtype::f64}, 3);
  spread_weights(rows);
  std::vector<torch::Tensor> dense_weights;
  for (auto& table : rows.upper().tables()) dense_weights.push_back(table.values.clone());
  const auto how = solve(HypergradientMode::reverse, 4, 0.2);
  GradientMatrix sliced, dense;
  PhaseTimer timer;
  std::vector<torch::Tensor> coordinates;
  {
    const problem::SlicesOpen open(rows.upper());
    hypergradients(rows, how, 2, sliced, timer);
    for (const auto& slice : rows.upper().slices()) coordinates.push_back(slice.coordinates);
  }
  EXPECT_EQ(sliced.upper_columns(), 64);  // 2 tasks x 4 batches x 8 samples of one epoch, not 100

  rows.lower_batches().seek(0);
  rows.upper_batches().seek(0);
  testing::DenseWeights same(rows, dense_weights);
  hypergradients(same, how, 2, dense, timer);
  EXPECT_EQ(dense.upper_columns(), 100);
  EXPECT_LT((sliced.gramian() - dense.gramian()).norm(), testing::f64.value);
  for (std::int64_t i = 0; i < 2; ++i) {
    const auto columns = dense.row(i).view({2, 50});
    for (std::int64_t task = 0; task < 2; ++task) {
      const auto expected = columns[task].index_select(0, coordinates[static_cast<std::size_t>(task)]);
      EXPECT_LT(testing::distance(sliced.row(i).narrow(0, 32 * task, 32), expected), testing::f64.gradient);
    }
  }
}

TEST(Hypergradient, TheIterateIsUntouchedAndQIsThatOfTheValueFunction) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1}, 5);
  const auto alpha = problem.upper().values().clone(), omega = problem.lower().values().clone();
  GradientMatrix matrix, other;
  PhaseTimer timer;
  const auto how = solve(HypergradientMode::reverse, 10, 0.1);
  const auto found = hypergradients(problem, how, 1, matrix, timer);
  EXPECT_TRUE(torch::equal(problem.upper().values(), alpha));
  EXPECT_TRUE(torch::equal(problem.lower().values(), omega));
  const auto gap = value_function_gradient(problem, how.inner, 1, other, timer);
  EXPECT_NEAR(found.q(), gap.q(), testing::f64.value);
  EXPECT_LT(testing::distance(found.reached, gap.reached), testing::f64.value);
}

TEST(LinearSolve, ConjugateGradientsSolveInAsManyStepsAsThereAreEigenvalues) {
  const auto diagonal = torch::tensor({1.0, 4.0, 4.0, 9.0}, torch::kFloat64);
  const auto b = torch::tensor({1.0, -2.0, 3.0, 5.0}, torch::kFloat64);
  int products = 0;
  const LinearOperator a = [&](const torch::Tensor& v) {
    ++products;
    return diagonal * v;
  };
  const auto x = conjugate_gradients(a, b, 100, 1e-12);
  EXPECT_LT(testing::distance(x, b / diagonal), testing::f64.value);
  EXPECT_EQ(products, 3);
}

TEST(LinearSolve, ConjugateGradientsRefuseNegativeCurvature) {
  const LinearOperator a = [](const torch::Tensor& v) { return -v; };
  EXPECT_THROW(conjugate_gradients(a, torch::ones({2}, torch::kFloat64), 5, 1e-10), Error);
}

}  // namespace
}  // namespace moblo::gradients
