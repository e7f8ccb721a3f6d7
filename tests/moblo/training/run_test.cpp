#include "moblo/training/run.hpp"

#include <gmock/gmock.h>

#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/run_folder.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::training::run_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Named : public conformance::Synthetic {
 public:
  Named() : Synthetic({.alpha = 2, .omega = {0, 3}}) {}
  std::vector<std::string> objective_names() const override { return {"near", "far"}; }
};

ForumOptions forum_with(double rho) {
  return {.inner_steps = 5, .inner_step_size = 0.05, .rho = rho};
}

TrainingOptions iterations(std::int64_t count) {
  return {.iterations = count, .checkpoint_every = 5};
}

bool has_events(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents")) return true;
  }
  return false;
}

class RunInFolder : public ::testing::Test {
 protected:
  template <class MethodType>
  Summary run(MethodType&& method, const TrainingOptions& options = iterations(10), const RunControl& control = {}) {
    conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
    return train_in_folder(run_, problem, method, options, control);
  }
  std::string refusal(ErrorKind kind, const std::function<void()>& body) { return fixtures::error_text(kind, body); }

  fixtures::TemporaryFolder folder_;
  std::filesystem::path run_ = folder_ / "run";
};

TEST_F(RunInFolder, GoesOnOnlyWithTheSameOptionsOfTheMethod) {
  run(Forum(forum_with(0.3)));
  EXPECT_THAT(refusal(ErrorKind::checkpoint, [&] { run(Forum(forum_with(0.5)), iterations(20)); }),
              AllOf(HasSubstr("forum"), HasSubstr("rho = 0.3, not 0.5")));
  const auto longer = run(Forum(forum_with(0.3)), iterations(20));
  EXPECT_EQ(longer.iterations, 20);
  EXPECT_EQ(records::read_manifest(run_).config["forum"]["rho"], 0.3);
}

TEST_F(RunInFolder, TellsMethodsOfTheCatalogueApartByTheirOptionsToo) {
  const auto moml = [](std::int64_t steps) { return make_method("moml", {{"inner_steps", steps}}); };
  run(*moml(3));
  EXPECT_THAT(refusal(ErrorKind::checkpoint, [&] { run(*moml(4), iterations(20)); }),
              HasSubstr("inner_steps = 3, not 4"));
}

/// The fingerprint of folders that older versions wrote has no options, and may lack one that has come since.
TEST_F(RunInFolder, OfAnOlderVersionIsResumed) {
  for (const bool without_all : {true, false}) {
    std::filesystem::remove_all(run_);
    run(Forum(forum_with(0.3)));
    const auto checkpoint = records::load_checkpoint(run_);
    auto content = checkpoint.content;
    auto identity = Json::parse(content.state["fingerprint"].get<std::string>());
    if (without_all) {
      identity.erase("options");
    } else {
      identity["options"].erase("inner_batches");
    }
    content.state["fingerprint"] = identity.dump();
    records::RunFolder::reopen(run_, records::read_manifest(run_), checkpoint.next_k)
        .save_checkpoint(checkpoint.next_k, content);
    EXPECT_EQ(run(Forum(forum_with(0.3)), iterations(20)).iterations, 20) << without_all;
  }
}

TEST_F(RunInFolder, WritesEventsWhereTensorboardIsOn) {
  run(Forum(forum_with(0.3)), {.iterations = 3, .tensorboard = false});
  EXPECT_FALSE(has_events(run_));
  std::filesystem::remove_all(run_);
  run(Forum(forum_with(0.3)), {.iterations = 3});
  EXPECT_TRUE(has_events(run_));
}

TEST_F(RunInFolder, RefusesAStateBesideTheFoldersOwn) {
  const Snapshot state;
  RunControl control;
  control.resume = &state;
  EXPECT_THAT(refusal(ErrorKind::usage, [&] { run(Forum(forum_with(0.3)), iterations(10), control); }),
              AllOf(HasSubstr("RunControl::resume"), HasSubstr("train()")));
  EXPECT_FALSE(std::filesystem::exists(run_));
}

TEST_F(RunInFolder, NamesItsObjectives) {
  Named named;
  const auto summary = train_in_folder(run_, named, Forum(forum_with(0.3)), iterations(3));
  const Json names{"near", "far"};
  EXPECT_EQ(summary.final_state["objectives"], names);
  EXPECT_EQ(records::read_manifest(run_).problem["objectives"], names);
  EXPECT_EQ(records::read_summary(run_)->final_state["objectives"], names);
  std::filesystem::remove_all(run_);
  const auto unnamed = run(Forum(forum_with(0.3)), iterations(3));
  EXPECT_FALSE(unnamed.final_state.contains("objectives"));
  EXPECT_FALSE(records::read_manifest(run_).problem.contains("objectives"));
}

}  // namespace
}  // namespace moblo::training::run_test
