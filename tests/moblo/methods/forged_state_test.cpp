// A checkpoint whose checksum is right may still hold anything: whatever its lists and tensors are replaced by,
// resuming refuses it or goes on; it never reads beyond an end.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"
#include "tests/moblo/methods/three_tasks.hpp"

namespace moblo::methods::forged_state_test {
namespace {

class LastState : public RunObserver {
 public:
  void saved(std::int64_t, const Snapshot& state) override { last = state; }
  Snapshot last;
};

std::unique_ptr<BilevelProblem> small_problem(const MethodTraits& traits) {
  if (traits.single_level || traits.network_a_task) return std::make_unique<ThreeTasks>();
  if (traits.needs_interchangeable_batches || traits.gradient_free || traits.needs_strongly_convex_lower) {
    return std::make_unique<conformance::Quadratic>(conformance::QuadraticOptions{}, 1);
  }
  return std::make_unique<lab::problems::NoisyRegression>(lab::problems::NoisyRegressionOptions{}, 1);  // has tables
}

std::unique_ptr<Method> made(const std::string& name) {
  return make_method(name, find_method(name, "test").resolve(Json::object(), {}));
}

TrainingOptions short_run(std::int64_t iterations) {
  TrainingOptions options;
  options.iterations = iterations;
  options.refit = RefitStart::off;
  options.optimiser.alpha.kind = options.optimiser.omega.kind = OptimiserKind::adam;
  return options;
}

/// Calls use(list) for every list in a document.
void for_each_list(Json& document, const std::function<void(Json&)>& use) {
  if (document.is_array()) use(document);
  if (document.is_structured()) {
    for (auto& child : document) for_each_list(child, use);
  }
}

std::size_t lists_in(Snapshot state) {
  std::size_t count = 0;
  for_each_list(state.values, [&](Json&) { ++count; });
  return count;
}

Snapshot with_list(Snapshot state, std::size_t which, const std::function<void(Json&)>& change) {
  std::size_t index = 0;
  std::vector<Json*> found;
  for_each_list(state.values, [&](Json& list) {
    if (index++ == which) found.push_back(&list);
  });
  for (auto* list : found) change(*list);
  return state;
}

class Forged : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    LastState observer;
    const auto method = made(GetParam());
    const auto problem = small_problem(method->traits());
    RunControl control;
    control.observers = {&observer};
    const auto summary = train(*problem, *method, short_run(3), control);
    ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
    state_ = observer.last;
    ASSERT_FALSE(state_.tensors.empty());
  }

  /// A status or an Error(checkpoint); anything else is a crash or an exception that no user can read.
  void expect_survived(const Snapshot& forged, const std::string& what) const {
    const auto method = made(GetParam());
    const auto problem = small_problem(method->traits());
    RunControl control;
    control.resume = &forged;
    try {
      train(*problem, *method, short_run(6), control);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::checkpoint) << what << ": " << error.what();
    }
  }

  Snapshot state_;
};

TEST_P(Forged, ListsOfAnotherLengthAreRefused) {
  const auto empty = [](Json& list) { list = Json::array(); };
  const auto longer = [](Json& list) { list.push_back(list.empty() ? Json(1) : list.back()); };
  const auto wild = [](Json& list) {
    for (auto& entry : list) entry = 1'000'000'000;
  };
  for (std::size_t i = 0; i < lists_in(state_); ++i) {
    for (const auto& change : std::vector<std::function<void(Json&)>>{empty, longer, wild}) {
      expect_survived(with_list(state_, i, change), "list " + std::to_string(i));
    }
  }
}

TEST_P(Forged, TensorsOfAnotherShapeOrTypeAreRefused) {
  for (const auto& [name, tensor] : state_.tensors) {
    for (const auto& forged :
         {torch::empty({0}, tensor.options()), torch::zeros({tensor.numel() + 1}, tensor.options()),
          torch::zeros(tensor.sizes(), torch::kInt32), torch::zeros({2, 0, 3}, torch::kFloat64)}) {
      auto state = state_;
      state.tensors[name] = forged;
      expect_survived(state, name);
    }
    auto state = state_;
    state.tensors.erase(name);
    expect_survived(state, "no " + name);
  }
}

TEST_P(Forged, NumbersOutOfRangeAreRefused) {
  for (const auto* key : {"upper_position", "lower_position", "next_k", "objectives"}) {
    for (const std::int64_t value : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
      auto state = state_;
      state.values[key] = value;
      expect_survived(state, key);
    }
  }
}

TEST(Searches, TrainOnProblemsWithRows) {
  for (const auto& info : method_catalogue()) {
    if (!info.traits(info.resolve(Json::object(), {})).gradient_free) continue;
    lab::problems::NoisyRegression problem({}, 1);
    const auto summary = train(problem, *made(info.name), short_run(2));
    EXPECT_EQ(summary.status, RunStatus::completed) << info.name << ": " << summary.message;
  }
}

std::vector<std::string> every_method() {
  std::vector<std::string> names;
  for (const auto& info : method_catalogue()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Forged, testing::ValuesIn(every_method()),
                         [](const auto& method) { return method.param; });

}  // namespace
}  // namespace moblo::methods::forged_state_test
