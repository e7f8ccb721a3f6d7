#include "moblo/methods/f2sa.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "tests/moblo/methods/recorded.hpp"
#include "tests/moblo/methods/task_rows.hpp"

namespace moblo::methods::f2sa_test {
namespace {

/// alpha moves by -mu h where there is one objective.
Eigen::VectorXd gradient_with(double penalty) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 1, .condition = 3}, 4);
  const Eigen::VectorXd before = problem.alpha();
  recorded(problem, "f2sa",
           {{"penalty", penalty}, {"penalty_exponent", 0}, {"inner_steps", 150}, {"inner_step_size", 0.9}},
           plain_steps(1, 1, 0.1));
  return before - problem.alpha();
}

TEST(F2sa, ItsBiasFallsLikeOneOverThePenalty) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 1, .condition = 3}, 4);
  const Eigen::VectorXd exact = problem.hypergradients(problem.alpha()).row(0).transpose();
  double before = 0;
  for (const double penalty : {30.0, 300.0, 3000.0}) {
    const double error = (gradient_with(penalty) - exact).norm();
    EXPECT_GT(error, 0);
    EXPECT_NEAR(before > 0 ? before / error : 10, 10, 1) << penalty;
    before = error;
  }
  EXPECT_LT(before, 0.01 * exact.norm());
}

TEST(F2sa, TheModelIsTrainedByTheLowerLossAlone) {
  conformance::Quadratic problem({}, 4), alone({}, 4);
  recorded(problem, "f2sa", {{"inner_steps", 3}, {"inner_step_size", 0.5}}, plain_steps(1, 0.1, 7));
  for (int t = 0; t < 3; ++t) {
    const auto slope = torch::autograd::grad({alone.lower_loss({})}, {alone.lower().leaves()[0]})[0];
    alone.lower().values().sub_(slope, 0.5);
  }
  EXPECT_LT((problem.omega() - alone.omega()).norm(), 1e-14);
}

TEST(F2sa, CountsOneGradientOfEachLossAStepAndAState) {
  conformance::Quadratic problem({.m = 3}, 1);
  const auto run = recorded(problem, "f2sa", {{"inner_steps", 4}}, plain_steps(2, 0.01, 0.1));
  EXPECT_EQ(run.records[1].gradients, (GradientCounts{.lower = 5 * 4, .upper = 5 * 3, .second_order = 0}));
}

TEST(F2sa, BatchesOfItsStepsAreFreshOrOne) {
  const auto run = [](const char* batches) {
    lab::problems::NoisyRegression problem({.samples = 40, .batch = 10}, 1);
    return recorded(problem, "f2sa", {{"inner_steps", 3}, {"inner_batches", batches}}, plain_steps(5, 0.1, 0.1))
        .records;
  };
  EXPECT_EQ(run("one"), run("one"));
  EXPECT_NE(run("one"), run("fresh"));
}

/// f draws random numbers, and the F_i do not read omega: y_i and z part only where they draw different ones.
class Dropping : public BilevelProblem {
 public:
  Dropping() {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    return {(alpha_ - 1).square().sum() + 0 * omega_.sum()};
  }
  torch::Tensor lower_loss(const Batch&) override {
    return (torch::dropout(omega_ + 1, 0.5, true) - alpha_).square().sum();
  }

 private:
  torch::Tensor alpha_ = torch::full({1}, 3.0, torch::kFloat64), omega_ = torch::ones({20}, torch::kFloat64);
};

TEST(F2sa, AllStatesOfAStepSeeTheSameRandomNumbers) {
  Dropping problem;
  const auto run = recorded(problem, "f2sa", {{"penalty", 1000}, {"inner_steps", 3}, {"inner_step_size", 0.05}},
                            plain_steps(3, 1e-9, 0.1));
  ASSERT_EQ(run.records.size(), 3U) << run.summary.message;
  for (const auto& record : run.records) EXPECT_NEAR(record.gradient_norms[0], 4, 1e-6);  // |2 (alpha - 1)|
}

TEST(LowerStates, AreRefusedWhereTheLowerLevelHasARowPerTask) {
  for (const char* name : {"f2sa", "gmoba", "forum_single"}) {
    TaskRows problem;
    const auto method = make_method(name);
    try {
      train(problem, *method, plain_steps(2, 0.1, 0.1));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("one row per task"), std::string::npos) << error.what();
    }
  }
  TaskRows problem;
  EXPECT_EQ(train(problem, *make_method("wc_penalty"), plain_steps(2, 0.01, 0.01)).status, RunStatus::completed);
}

}  // namespace
}  // namespace moblo::methods::f2sa_test
