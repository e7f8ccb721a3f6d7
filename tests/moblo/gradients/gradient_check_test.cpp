#include "moblo/gradients/gradient_check.hpp"

#include <gtest/gtest.h>

#include "lab/problems/registry.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"

namespace moblo::gradients {
namespace {

Json in_double(const ProblemInfo& info) {
  return info.resolve({{"dtype", "f64"}}, {});
}

TEST(GradientCheck, EveryBuiltInProblemPasses) {
  for (const auto& info : lab::problems::problem_catalogue()) {
    // What needs data files is checked on made ones in tests/applications.
    if (info.name == "hyper_cleaning" || info.name == "fairness" || info.traits.tasks) continue;
    for (const std::uint64_t seed : {0, 1}) {
      const auto problem = lab::problems::make_problem(info.name, in_double(info), seed);
      const auto report = check_gradients(*problem);
      EXPECT_TRUE(report.passed) << info.name << ": " << report.largest_error;
      EXPECT_GT(report.compared, 0) << info.name;
    }
  }
}

TEST(GradientCheck, LeavesTheProblemAsItWas) {
  const auto problem = lab::problems::make_problem(
      "quadratic", lab::problems::find_problem("quadratic", "").resolve(Json::object(), {}), 0);
  const auto alpha = problem->upper().values().clone(), omega = problem->lower().values().clone();
  check_gradients(*problem);
  EXPECT_TRUE(torch::equal(problem->upper().values(), alpha));
  EXPECT_TRUE(torch::equal(problem->lower().values(), omega));
}

/// A loss with a wrong derivative: x^2 in value, the gradient of x.
class Wrong : public BilevelProblem {
 public:
  explicit Wrong(torch::ScalarType type) : w_(torch::full({2}, 3.0, type)), a_(torch::ones({1}, type)) {
    upper_.add("a", a_);
    lower_.add("w", w_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    return {w_.square().sum().detach() + (w_ - w_.detach()).sum()};
  }
  torch::Tensor lower_loss(const Batch&) override { return (w_ - a_).square().sum(); }

 private:
  torch::Tensor w_, a_;
};

TEST(GradientCheck, FindsAWrongDerivativeAndNamesIt) {
  Wrong problem(torch::kFloat64);
  const auto report = check_gradients(problem);
  EXPECT_FALSE(report.passed);
  for (const auto& row : report.worst) {
    const bool wrong = row.loss == "F_1" && row.parameter == "omega w";
    EXPECT_EQ(row.error() > 1e-6, wrong) << row.loss << " " << row.parameter;
  }
}

TEST(GradientCheck, FindsAWrongGradientInSinglePrecisionToo) {
  Wrong wrong(torch::kFloat32);
  EXPECT_FALSE(check_gradients(wrong).passed);
}

TEST(GradientCheck, PassesRightGradientsInSinglePrecision) {
  conformance::Quadratic problem({.dtype = Dtype::f32}, 3);
  const auto report = check_gradients(problem);
  EXPECT_TRUE(report.passed) << report.largest_error;
}

TEST(GradientCheck, RefusesToCompareNothing) {
  conformance::Quadratic problem({}, 3);
  EXPECT_THROW(check_gradients(problem, {.coordinates = 0}), Error);
  EXPECT_THROW(check_gradients(problem, {.tolerance = std::numeric_limits<double>::infinity()}), Error);
}

}  // namespace
}  // namespace moblo::gradients
