#include "moblo/conformance/conformance.hpp"

#include <gtest/gtest.h>

#include "moblo/methods/registry.hpp"

namespace moblo {
namespace {

Json settings_of(const std::string& method, const ConformanceCase& entry) {
  if (method != "forum") return Json::object();
  return {{"inner_steps", entry.inner_steps},
          {"inner_step_size", entry.inner_step_size},
          {"rho", entry.problem == "synthetic" ? 0.3 : 0.5}};
}

TEST(Conformance, EveryMethodPassesEveryCase) {
  for (const auto& info : method_catalogue()) {
    for (const auto& entry : conformance_cases()) {
      const auto result = check_conformance(entry, [&](const ConformanceCase& c) {
        return make_method(info.name, info.resolve(settings_of(info.name, c), {}));
      });
      SCOPED_TRACE(info.name + " on " + entry.name + ": " + result.message);
      EXPECT_TRUE(result.reached) << "distance " << result.end_distance << " from " << result.start_distance;
      EXPECT_TRUE(result.descended);
      EXPECT_TRUE(result.on_simplex);
      EXPECT_TRUE(result.resumable);
    }
  }
}

/// A method that forgets to move fails: the suite can tell.
class Idle : public Method {
 public:
  void start(BilevelProblem&, std::int64_t objectives) override { objectives_ = static_cast<std::size_t>(objectives); }
  StepRecord step(const StepContext& context) override {
    StepRecord record;
    record.k = context.k;
    record.losses.assign(objectives_, 1);
    record.weights.assign(objectives_, 1.0 / static_cast<double>(objectives_));
    return record;
  }
  Snapshot save() const override { return {}; }
  void restore(const Snapshot&) override {}

 private:
  std::size_t objectives_ = 0;
};

TEST(Conformance, AMethodThatDoesNothingFails) {
  auto entry = conformance_cases().front();
  entry.training.iterations = 10;
  entry.training.checkpoint_every = 5;
  const auto result = check_conformance(entry, [](const ConformanceCase&) { return std::make_unique<Idle>(); });
  EXPECT_FALSE(result.reached);
  EXPECT_FALSE(result.descended);
  EXPECT_TRUE(result.resumable);
}

}  // namespace
}  // namespace moblo
