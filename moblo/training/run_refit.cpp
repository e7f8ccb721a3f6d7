#include "moblo/training/run_refit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/training/refit.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

std::int64_t steps_of(const TrainingOptions& options, const RefitOfRun& run) {
  if (options.refit_steps > 0) return options.refit_steps;
  const auto& cost = run.of_a_step;
  return std::max<std::int64_t>(1, run.iterations * (cost.lower + cost.upper + 2 * cost.second_order) / 10);
}

/// Whether it could be made, as far as time allowed.
bool refit_with(const RefitOptions& how, BilevelProblem& problem, const RefitOfRun& run, const RunControl& control,
                Summary& summary) {
  const Snapshot here = model_of(problem);
  if (run.chosen) load_model(problem, *run.chosen);
  std::string failure;
  try {
    summary.refit = refit(problem, how, control.stop_requested);
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "a loss threw something that is not a std::exception";
  }
  load_model(problem, here);
  if (!failure.empty()) summary.warnings.push_back("no refit: " + failure);
  return failure.empty();
}

}  // namespace

void refit_into(Summary& summary, BilevelProblem& problem, const TrainingOptions& options, const RefitOfRun& run,
                const RunControl& control) {
  const double most = options.stop.seconds;
  RefitOptions how = refit_options(options);
  how.steps = steps_of(options, run);
  if (most > 0) how.seconds = std::min(most - run.seconds, most / 10);
  if (options.refit == RefitStart::fresh) {
    how.start = run.initial_omega;
    how.start_rows = run.initial_rows;
  }
  if ((most == 0 || how.seconds > 0) && !refit_with(how, problem, run, control, summary)) return;
  const std::int64_t made = summary.refit ? summary.refit->steps : 0;
  const bool asked_to_stop = control.stop_requested && *control.stop_requested;
  if (most == 0 || made == how.steps || asked_to_stop) return;
  summary.warnings.push_back(
      fmt::format("{}: stop.seconds = {} bounds run and refit together. `moblo refit RUN --steps {}` makes all steps",
                  made == 0 ? "no refit" : fmt::format("a refit of {} steps only", made), most, how.steps));
}

}  // namespace moblo::training
