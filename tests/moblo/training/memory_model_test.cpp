#include "moblo/training/memory_model.hpp"

#include <gtest/gtest.h>

#include "moblo/conformance/quadratic.hpp"
#include "moblo/gradients/tensor_memory.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training::memory_model_test {
namespace {

TEST(TensorMemory, CountsWhatLivesAtOneTime) {
  const auto before = torch::zeros({1000});
  const gradients::TensorMemory memory;
  {
    const auto first = torch::zeros({1000});
    const auto second = before + first;
  }
  const auto third = torch::zeros({1500});
  EXPECT_EQ(memory.most_bytes(), 2 * 1000 * 4);
}

std::int64_t added(const std::string& method_name, const Json& options, const TrainingOptions& training = {}) {
  conformance::Quadratic problem({}, 1);
  const auto shape = gradients::check_contract(problem);
  const auto method = make_method(method_name, options);
  method->start(problem, shape.m);
  return predict_added_bytes(problem, shape, *method, training).value();
}

std::int64_t omega_bytes() {
  conformance::Quadratic problem({}, 1);
  return problem.lower().dense_size() * static_cast<std::int64_t>(problem.lower().options().dtype().itemsize());
}

/// Means of 1/2 (w_j - a)^2 and of 1/2 (w_j - i)^2, w as long as it takes to forget all else.
class Long : public BilevelProblem {
 public:
  Long() {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    return {0.5 * (omega_ - 1).square().mean(), 0.5 * (omega_ - 2).square().mean(), 0.5 * (omega_ - 3).square().mean()};
  }
  torch::Tensor lower_loss(const Batch&) override { return 0.5 * (omega_ - alpha_).square().mean(); }
  ProblemTraits traits() const override { return {.strongly_convex_lower = true}; }

 private:
  torch::Tensor alpha_ = torch::zeros({1}), omega_ = torch::zeros({100'000});
};

TEST(MemoryModel, FitsWhatTheMethodsHold) {
  for (const std::string name : {"forum", "f2sa", "gmoba", "morbit", "wc_penalty", "forum_single"}) {
    Long problem;
    TrainingOptions options;
    options.iterations = 4;
    options.refit = RefitStart::off;
    const auto method = make_method(name, Json::object());
    const auto shape = gradients::check_contract(problem);
    method->start(problem, shape.m);
    const auto predicted = static_cast<double>(predict_added_bytes(problem, shape, *method, options).value());
    const gradients::TensorMemory memory;
    ASSERT_EQ(train(problem, *method, options).status, RunStatus::completed) << name;
    const double share = static_cast<double>(memory.most_bytes()) / predicted;
    EXPECT_LT(share, 1.1) << name;
    EXPECT_GT(share, 0.4) << name;  // three passes for second derivatives are on the safe side
  }
}

TEST(MemoryModel, OfForumDoesNotDependOnT) {
  EXPECT_EQ(added("forum", {{"inner_steps", 1}}), added("forum", {{"inner_steps", 128}}));
}

TEST(MemoryModel, OfReverseModeGrowsByAnIterateAStepAndOfCheckpointsByTheRoot) {
  EXPECT_EQ(added("moml", {{"inner_steps", 65}}) - added("moml", {{"inner_steps", 64}}), omega_bytes());
  const auto checkpointed = added("moml", {{"inner_steps", 64}, {"hypergradient", "checkpointed"}});
  EXPECT_LT(checkpointed, added("moml", {{"inner_steps", 17}}));
  EXPECT_GT(checkpointed, added("moml", {{"inner_steps", 13}}));
}

TEST(MemoryModel, KnowsTheOptimisersMomentsAndTheChosenModel) {
  TrainingOptions sgd, adam, selecting;
  sgd.optimiser.omega.kind = OptimiserKind::sgd;
  adam.optimiser.omega.kind = OptimiserKind::adam;
  EXPECT_GE(added("forum", Json::object(), adam) - added("forum", Json::object(), sgd), 4 * omega_bytes());
  selecting.select = "accuracy";
  EXPECT_GE(added("forum", Json::object(), selecting) - added("forum", Json::object()), omega_bytes());
}

TEST(MemoryModel, CountsTheStartThatARefitKeeps) {
  TrainingOptions without, onwards;
  without.refit = RefitStart::off;
  onwards.refit = RefitStart::current;
  EXPECT_EQ(added("forum", Json::object()) - added("forum", Json::object(), without), omega_bytes());
  EXPECT_EQ(added("forum", Json::object(), onwards), added("forum", Json::object(), without));
  EXPECT_EQ(added("mgda", Json::object()), added("mgda", Json::object(), without));
}

}  // namespace
}  // namespace moblo::training::memory_model_test
