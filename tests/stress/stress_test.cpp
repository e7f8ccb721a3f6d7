// Random problems through every method: an answer is right, refused in words, or ends the run with a status.
//   MOBLO_STRESS_CASES=2000 test_stress        more of them
//   MOBLO_STRESS_CASE=17 test_stress           one alone
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/training/run.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/training.hpp"
#include "tests/moblo/records/run_fixtures.hpp"
#include "tests/stress/random_options.hpp"
#include "tests/stress/random_problem.hpp"

namespace moblo::stress {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Case {
  std::uint64_t number = 0;
  const MethodInfo* method = nullptr;
  Json options;
  Description problem;
  TrainingOptions training;
  std::int64_t stop_at = 0;

  std::string text() const {
    return fmt::format("MOBLO_STRESS_CASE={} ({} {}; {}; {}; stopped at {})", number, method->name, options.dump(),
                       problem.text(), TrainingOptions::table().write(training).dump(), stop_at);
  }
};

/// Draws until the options do not contradict each other.
template <class Draw>
auto drawn_validly(const Draw& draw) {
  for (int attempts = 0;; ++attempts) {
    try {
      return draw();
    } catch (const Error&) {
      if (attempts > 200) throw;
    }
  }
}

Case make_case(std::uint64_t number) {
  Rng rng(derive_seed(20, "stress", number));
  const auto& catalogue = method_catalogue();
  Case made;
  made.number = number;
  made.method = &catalogue[number % catalogue.size()];
  const auto single_level = made.method->traits(made.method->resolve(Json::object(), {})).single_level;
  made.problem = random_description(rng, single_level);
  made.options =
      drawn_validly([&] { return made.method->resolve(random_options(rng, *made.method, made.problem.m), {}); });
  made.training = drawn_validly([&] { return random_training(rng); });
  made.stop_at = 1 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(made.training.iterations - 1)));
  return made;
}

/// All that a run leaves behind, as one would compare it.
struct Outcome {
  std::string refusal;  ///< of a moblo::Error before iteration 0
  Summary summary;
  std::vector<StepRecord> records;
  torch::Tensor point;
  bool finite = false;
  Snapshot last;
};

/// Writes down what happens; asks the run to stop before iteration `stop_at`.
class Keeper : public RunObserver {
 public:
  Keeper(Outcome& to, std::int64_t stop_at) : to_(to), stop_at_(stop_at) {}
  void started(const gradients::ProblemShape&, std::int64_t, std::int64_t iterations) override {
    has_started = true;
    iterations_ = iterations;
  }
  void stepped(const StepRecord& record, const StepTiming&) override {
    to_.records.push_back(record);
    if (record.k + 1 >= stop_at_ && record.k + 1 < iterations_) stop = true;  // later it would only stop the refit
  }
  void saved(std::int64_t, const Snapshot& state) override { to_.last = state; }

  bool has_started = false;
  std::atomic<bool> stop{false};

 private:
  Outcome& to_;
  std::int64_t stop_at_, iterations_ = 0;
};

constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();

/// Starts the run by `start(problem, method, control)`.
template <class Start>
Outcome observed(const Case& given, std::int64_t stop_at, const Start& start) {
  Outcome outcome;
  RandomProblem problem(given.problem);
  Keeper keeper(outcome, stop_at);
  RunControl control;
  control.observers = {&keeper};
  control.stop_requested = &keeper.stop;
  try {
    const auto method = make_method(given.method->name, given.options);
    outcome.summary = start(problem, *method, control);
    outcome.point = problem.point();
    outcome.finite = problem.finite();
  } catch (const Error& error) {
    EXPECT_FALSE(keeper.has_started) << "thrown from the middle of a run: " << error.what();
    outcome.refusal = error.what();
  }
  return outcome;
}

Outcome run(const Case& given, std::int64_t stop_at = to_the_end, const Snapshot* resume = nullptr) {
  return observed(given, stop_at, [&](BilevelProblem& problem, Method& method, RunControl& control) {
    control.resume = resume;
    return train(problem, method, given.training, control);
  });
}

Outcome run_in(const std::filesystem::path& folder, const Case& given, std::int64_t stop_at = to_the_end) {
  return observed(given, stop_at, [&](BilevelProblem& problem, Method& method, RunControl& control) {
    return train_in_folder(folder, problem, method, given.training, control);
  });
}

template <class Numbers>
bool all_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

/// Searches measure neither q nor K(z).
bool measured_finite(double q, double kkt, const MethodTraits& method) {
  return method.gradient_free || (std::isfinite(q) && std::isfinite(kkt));
}

void expect_finite(const StepRecord& record, const MethodTraits& method) {
  EXPECT_TRUE(all_finite(record.losses) && all_finite(record.weights) && all_finite(record.gradient_norms) &&
              all_finite(record.conflict_cosines) && all_finite(std::vector{record.lower_loss, record.nu}) &&
              measured_finite(record.q, record.kkt, method))
      << to_json(record).dump();
}

void expect_sound(const Outcome& outcome, const MethodTraits& method) {
  if (!outcome.refusal.empty()) return;
  const auto& summary = outcome.summary;
  EXPECT_FALSE(summary.message.empty());
  EXPECT_NE(summary.status, RunStatus::running);
  EXPECT_TRUE(outcome.finite) << "the model is not finite, status " << base::name(summary.status) << ": "
                              << summary.message;
  for (const auto& record : outcome.records) expect_finite(record, method);
  if (!succeeded(summary.status)) return;
  EXPECT_TRUE(all_finite(summary.losses) && all_finite(summary.weights) && all_finite(summary.alpha) &&
              all_finite(summary.omega) && all_finite(std::vector{summary.lower_loss, summary.nu}) &&
              measured_finite(summary.q, summary.kkt, method))
      << base::name(summary.status) << ": " << to_json(summary).dump();
}

Json without_seconds(const Summary& summary) {
  auto json = to_json(summary);
  json.erase("seconds");
  return json;
}

void expect_equal(const Outcome& one, const Outcome& other) {
  ASSERT_EQ(one.refusal, other.refusal);
  if (!one.refusal.empty()) return;
  EXPECT_EQ(records::dump_json(without_seconds(one.summary)), records::dump_json(without_seconds(other.summary)));
  ASSERT_EQ(one.records.size(), other.records.size());
  for (std::size_t i = 0; i < one.records.size(); ++i) {  // as text: NaN equals NaN there
    ASSERT_EQ(records::dump_json(to_json(one.records[i])), records::dump_json(to_json(other.records[i])));
  }
  EXPECT_TRUE(torch::equal(one.point, other.point)) << "other variables";
}

/// `second` went on where `first` stopped; together they must be what `whole` is.
void expect_whole(Outcome first, const Outcome& second, const Outcome& whole) {
  Outcome joined = second;
  joined.records = std::move(first.records);
  joined.records.insert(joined.records.end(), second.records.begin(), second.records.end());
  expect_equal(joined, whole);
}

/// The state goes through the bytes of a checkpoint, or through a run folder. A run that failed before it could be
/// interrupted is judged by itself.
void expect_resumable(const Case& given, const Outcome& whole, const MethodTraits& method) {
  if (given.number % 5 != 0) {
    auto first = run(given, given.stop_at);
    if (first.summary.status != RunStatus::interrupted) return expect_sound(first, method);
    const Snapshot state = training::to_snapshot(training::to_file(first.last));
    return expect_whole(std::move(first), run(given, to_the_end, &state), whole);
  }
  const records::fixtures::TemporaryFolder folder;
  auto first = run_in(folder / "run", given, given.stop_at);
  if (first.summary.status != RunStatus::interrupted) return expect_sound(first, method);
  expect_whole(std::move(first), run_in(folder / "run", given), whole);
  std::string lines;
  for (const auto& record : whole.records) lines += records::dump_json(to_json(record)) + "\n";
  EXPECT_EQ(records::fixtures::text_of(folder / "run" / "steps.jsonl"), lines);
}

/// Two runs of one process at the same time.
void expect_equal_side_by_side(const Case& one, const Outcome& of_one, const Case& other, const Outcome& of_other) {
  Outcome beside_one, beside_other;
  std::thread thread([&] { beside_other = run(other); });
  beside_one = run(one);
  thread.join();
  expect_equal(beside_one, of_one);
  expect_equal(beside_other, of_other);
}

TEST(Stress, EveryCaseIsRightRefusedOrEndsWithAStatus) {
  const auto only = number_from("MOBLO_STRESS_CASE", UINT64_MAX);
  const auto first = only != UINT64_MAX ? only : number_from("MOBLO_STRESS_FIRST", 0);
  const auto count = only != UINT64_MAX ? 1 : number_from("MOBLO_STRESS_CASES", 400);
  std::optional<std::pair<Case, Outcome>> before;
  std::map<std::string, int> statuses;
  for (auto number = first; number < first + count; ++number) {
    const Case given = make_case(number);
    SCOPED_TRACE(given.text());
    const Outcome whole = run(given);
    if (only != UINT64_MAX) {
      std::cout << given.text() << '\n' << whole.refusal << records::dump_json(to_json(whole.summary), 1) << '\n';
    }
    ++statuses[whole.refusal.empty() ? std::string(base::name(whole.summary.status)) : "refused"];
    const MethodTraits method = given.method->traits(given.options);
    expect_sound(whole, method);
    expect_resumable(given, whole, method);
    if (before && number % 4 == 1) expect_equal_side_by_side(given, whole, before->first, before->second);
    before.emplace(given, whole);
  }
  for (const auto& [status, cases] : statuses) std::cout << status << ": " << cases << '\n';
  if (only != UINT64_MAX) return;
  EXPECT_GT(statuses["completed"], static_cast<int>(count / 4)) << "too few cases say anything";
}

}  // namespace
}  // namespace moblo::stress
