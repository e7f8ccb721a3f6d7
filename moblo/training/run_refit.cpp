#include "moblo/training/run_refit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

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

bool refits(const TrainingOptions& run, const MethodTraits& method) {
  return run.refit != RefitStart::off && !method.single_level && !method.learns_start;
}

std::int64_t cost_in_gradients(const GradientCounts& counts) {
  return counts.lower + counts.upper + 2 * counts.second_order;
}

std::int64_t refit_steps(const TrainingOptions& run, std::int64_t iterations, const GradientCounts& of_a_step) {
  if (run.refit_steps > 0) return run.refit_steps;
  return std::max<std::int64_t>(1, iterations * cost_in_gradients(of_a_step) / 10);
}

void refit_into(Summary& summary, BilevelProblem& problem, const TrainingOptions& options, const RefitOfRun& run,
                const RunControl& control) {
  const double most = options.stop.seconds;
  RefitOptions how = run.how;
  how.steps = refit_steps(options, run.iterations, run.of_a_step);
  if (most > 0) how.seconds = std::min(most - run.seconds, most / 10);
  if ((most == 0 || how.seconds > 0) && !refit_with(how, problem, run, control, summary)) return;
  const std::int64_t made = summary.refit ? summary.refit->steps : 0;
  const bool asked_to_stop = control.stop_requested && *control.stop_requested;
  if (asked_to_stop && !summary.refit) {
    summary.warnings.push_back(fmt::format(
        "the run is complete, its refit was interrupted. `moblo refit RUN --steps {}` makes it", how.steps));
    return;
  }
  if (most == 0 || made == how.steps) return;
  summary.warnings.push_back(
      fmt::format("{}: stop.seconds = {} bounds run and refit together. `moblo refit RUN --steps {}` makes all steps",
                  made == 0 ? "no refit" : fmt::format("a refit of {} steps only", made), most, how.steps));
}

}  // namespace moblo::training
