#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "lab/experiments/runner.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

constexpr double telling_seconds = 0.2;

/// Lines "k iterations" for the process that started this one.
class Telling : public RunObserver {
 public:
  void started(const gradients::ProblemShape&, std::int64_t first_k, std::int64_t iterations) override {
    iterations_ = iterations;
    tell(first_k);
  }
  void stepped(const StepRecord& record, const StepTiming&) override {
    if (watch_.seconds() - last_ >= telling_seconds) tell(record.k + 1);
  }
  void ended(const Summary&) override {}

 private:
  void tell(std::int64_t k) {
    last_ = watch_.seconds();
    fmt::print("{} {}\n", k, iterations_);
    std::fflush(stdout);
  }

  std::int64_t iterations_ = 0;
  base::Stopwatch watch_;
  double last_ = 0;
};

Json order() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  auto json = base::parse_json(text);
  if (json.is_object() && json.contains("config") && json.contains("name") && json.contains("title")) return json;
  throw Error(ErrorKind::usage, "moblo-engine cell", "is not a command of its own: `moblo reproduce` starts it",
              "Use `moblo run` or `moblo reproduce`");
}

}  // namespace

int cell(const std::string& folder) {
  const auto ordered = order();
  lab::experiments::RunPlan plan = lab::experiments::plan_resume(ordered["config"], {});
  plan.name = ordered["name"].get<std::string>();
  Telling telling;
  const lab::experiments::RunnerControl control{{&telling}, &stop_on_interrupt()};
  const auto [summary, warning] =
      lab::experiments::execute_or_resume(plan, ordered["title"].get<std::string>(), folder, {}, control);
  if (!warning.empty()) say(fmt::format("moblo: warning: {}\n", warning));
  fmt::print("ended\n");
  return summary.status == RunStatus::interrupted ? 130 : succeeded(summary.status) ? 0 : 1;
}

}  // namespace moblo::cli
