#include "moblo/training/memory_model.hpp"

#include <gtest/gtest.h>

#include "moblo/conformance/quadratic.hpp"
#include "moblo/gradients/tensor_memory.hpp"
#include "moblo/methods/registry.hpp"

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
