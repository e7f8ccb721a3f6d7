#include "moblo/gradients/contract.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"

namespace moblo::gradients {
namespace {

/// A problem whose losses a test fills in.
class Free : public BilevelProblem {
 public:
  Free() {
    upper_.add("a", a);
    lower_.add("w", w);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return upper_function(); }
  torch::Tensor lower_loss(const Batch&) override { return lower_function(); }

  torch::Tensor a = torch::ones({2}), w = torch::ones({3});
  std::function<std::vector<torch::Tensor>()> upper_function = [&] { return std::vector{w.sum()}; };
  std::function<torch::Tensor()> lower_function = [&] { return (w.sum() - a.sum()).square(); };
};

std::string refusal(Free& problem) {
  try {
    check_contract(problem);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Contract, AcceptsAProblemAndTellsItsShape) {
  Free problem;
  const auto shape = check_contract(problem);
  EXPECT_EQ(shape.m, 1);
  EXPECT_EQ(shape.n, 2);
  EXPECT_EQ(shape.p, 3);
}

TEST(Contract, RefusesNoObjectives) {
  Free problem;
  problem.upper_function = [] { return std::vector<torch::Tensor>{}; };
  EXPECT_NE(refusal(problem).find("no objective"), std::string::npos);
}

TEST(Contract, RefusesALossThatIsNoScalar) {
  Free problem;
  problem.upper_function = [&] { return std::vector{problem.w.sum(), problem.w * 2}; };
  EXPECT_NE(refusal(problem).find("F_2 of shape 3"), std::string::npos) << refusal(problem);
}

TEST(Contract, RefusesALossThatIsNotFinite) {
  Free problem;
  problem.lower_function = [&] { return problem.w.sum() * std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_NE(refusal(problem).find("must be finite"), std::string::npos);
}

TEST(Contract, RefusesALowerLossThatIgnoresOmega) {
  Free problem;
  problem.lower_function = [&] { return problem.a.sum(); };
  EXPECT_NE(refusal(problem).find("does not depend on any lower parameter"), std::string::npos);
  problem.lower_function = [&] { return problem.w.detach().sum(); };
  EXPECT_NE(refusal(problem).find("does not depend on any lower parameter"), std::string::npos);
}

TEST(Contract, TurnsShapeErrorsOfTorchIntoOneMessage) {
  Free problem;
  problem.lower_function = [&] { return (problem.w - problem.a).sum(); };
  const auto message = refusal(problem);
  EXPECT_NE(message.find("lower_loss: cannot be evaluated"), std::string::npos) << message;
  EXPECT_EQ(message.find("frame #"), std::string::npos) << message;
}

TEST(Contract, RefusesUndefinedLosses) {
  Free problem;
  problem.upper_function = [] { return std::vector{torch::Tensor()}; };
  EXPECT_NE(refusal(problem).find("undefined"), std::string::npos);
}

class Bare : public BilevelProblem {
 public:
  Bare(bool with_upper, bool with_lower, torch::ScalarType lower_type = torch::kFloat32) {
    if (with_upper) upper_.add("a", torch::ones({1}));
    if (with_lower) lower_.add("w", torch::ones({1}, lower_type));
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return {torch::zeros({})}; }
  torch::Tensor lower_loss(const Batch&) override { return torch::zeros({}); }
};

TEST(Contract, RefusesAnEmptyLevelAndMixedTypes) {
  Bare no_upper(false, true), no_lower(true, false), mixed(true, true, torch::kFloat64);
  EXPECT_THROW(check_contract(no_upper), Error);
  EXPECT_THROW(check_contract(no_lower), Error);
  EXPECT_THROW(check_contract(mixed), Error);
}

TEST(Contract, LeavesBatchesAndRandomNumbersAsTheyWere) {
  lab::problems::NoisyRegression problem({}, 0);
  torch::manual_seed(5);
  const auto expected = torch::rand({3});
  torch::manual_seed(5);
  check_contract(problem);
  EXPECT_EQ(problem.lower_batches().position(), 0);
  EXPECT_EQ(problem.upper_batches().position(), 0);
  EXPECT_TRUE(torch::equal(torch::rand({3}), expected));
}

}  // namespace
}  // namespace moblo::gradients
