#include "moblo/training/run_refit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/training/refit.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {

void refit_into(Summary& summary, BilevelProblem& problem, const TrainingOptions& options, const RefitOfRun& run,
                const RunControl& control) {
  const Snapshot here = model_of(problem);
  if (run.chosen) load_model(problem, *run.chosen);
  const auto& cost = run.of_a_step;
  RefitOptions how = refit_options(options);
  how.steps = std::max<std::int64_t>(1, run.iterations * (cost.lower + cost.upper + 2 * cost.second_order) / 10);
  if (options.refit == RefitStart::fresh) {
    how.start = run.initial_omega;
    how.start_rows = run.initial_rows;
  }
  try {
    summary.refit = refit(problem, how, control.stop_requested);
  } catch (const std::exception& error) {
    summary.warnings.push_back(fmt::format("no refit: {}", error.what()));
  } catch (...) {
    summary.warnings.push_back("no refit: a loss threw something that is no std::exception");
  }
  load_model(problem, here);
}

}  // namespace moblo::training
