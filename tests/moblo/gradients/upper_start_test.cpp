#include "moblo/gradients/upper_start.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moblo/base/error.hpp"
#include "moblo/gradients/hypergradient.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "tests/moblo/gradients/learned_start.hpp"

namespace moblo::gradients {
namespace {

/// F_i after T steps from alpha, written out.
std::vector<double> losses_after(testing_problems::LearnedStart& problem, const InnerSolve& inner) {
  const LowerRowsBorrowed rows(problem);
  auto& lower = problem.lower();
  auto omega = upper_start(problem);
  auto pieces = lower.pieces(omega);
  const problem::BoundElsewhere there(lower, omega);
  for (std::int64_t t = 0; t < inner.steps; ++t) {
    const auto gradients = torch::autograd::grad({problem.lower_loss(problem.lower_batches().at(0))}, lower.leaves());
    torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < gradients.size(); ++i) pieces[i].sub_(gradients[i], inner.step_size);
  }
  std::vector<double> values;
  for (const auto& loss : problem.upper_losses(problem.upper_batches().at(0))) values.push_back(loss.item().toDouble());
  return values;
}

double error_against_differences(testing_problems::LearnedStart& problem, HypergradientMode mode, std::int64_t steps) {
  HypergradientSolve how;
  how.mode = mode;
  how.inner = {.steps = steps, .step_size = 0.1, .fresh_batches = false, .from_upper = true};
  GradientMatrix matrix;
  PhaseTimer timer;
  {
    const LowerRowsBorrowed rows(problem);
    const problem::SlicesOpen slices(problem.upper());
    hypergradients(problem, how, 2, matrix, timer);
  }
  problem.lower_batches().seek(0);
  problem.upper_batches().seek(0);
  double worst = 0;
  auto* alpha = problem.upper().values().data_ptr<double>();
  const double h = std::cbrt(std::numeric_limits<double>::epsilon());
  for (std::int64_t j = 0; j < problem.upper().dense_size(); ++j) {
    const double x = alpha[j];
    alpha[j] = x + h;
    const auto high = losses_after(problem, how.inner);
    alpha[j] = x - h;
    const auto low = losses_after(problem, how.inner);
    alpha[j] = x;
    for (std::int64_t i = 0; i < 2; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const double slope = (high[index] - low[index]) / (2 * h);
      worst = std::max(worst, std::abs(slope - matrix.row(i)[j].item().toDouble()) / std::max(1.0, std::abs(slope)));
    }
  }
  return worst;
}

TEST(UpperStart, HypergradientsHoldTheShareOfTheStart) {
  for (const bool rows : {false, true}) {
    for (const auto mode : {HypergradientMode::reverse, HypergradientMode::checkpointed}) {
      for (const std::int64_t steps : {0, 1, 5}) {
        testing_problems::LearnedStart problem({.rows = rows, .proximal = 0.3});
        EXPECT_LT(error_against_differences(problem, mode, steps), 1e-8) << rows << " " << steps;
      }
    }
  }
}

TEST(UpperStart, IsAlphaInEveryRow) {
  testing_problems::LearnedStart problem({.rows = true});
  const LowerRowsBorrowed rows(problem);
  const auto start = upper_start(problem);
  for (const auto& piece : problem.lower().pieces(start)) {
    for (std::int64_t i = 0; i < piece.size(0); ++i) EXPECT_TRUE(torch::equal(piece[i], problem.start().detach()));
  }
}

TEST(UpperStart, NeedsAnUpperParameterOfTheSameNameAndShape) {
  testing_problems::LearnedStart named_otherwise({.upper_name = "begin"}), of_other_shape({.upper_size = 2});
  for (auto* problem : {&named_otherwise, &of_other_shape}) {
    try {
      refuse_without_upper_start(*problem);
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("needs an upper parameter named 'w' of shape (3)"), std::string::npos)
          << error.what();
    }
  }
}

TEST(UpperStart, TellsWhetherTheLowerLossReadsAlpha) {
  testing_problems::LearnedStart with({.rows = true, .proximal = 0.3}), without({.rows = true});
  EXPECT_TRUE(lower_loss_reads_alpha(with));
  EXPECT_FALSE(lower_loss_reads_alpha(without));
}

}  // namespace
}  // namespace moblo::gradients
