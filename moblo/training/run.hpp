#pragma once

#include <filesystem>

#include "moblo/base/export.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// train() into a run folder: manifest, records, checkpoints and model, as `moblo report` and `moblo watch` read them.
/// Where the folder holds a run of this method, with the same options, on a problem of this shape, it goes on from its
/// last checkpoint, to the same bits as a run that was never interrupted; `control.resume` is refused. `options` may
/// then ask for more iterations. Throws Error(checkpoint) where the folder holds another run.
MOBLO_API Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method& method,
                                  const TrainingOptions& options = {}, const RunControl& control = {});
MOBLO_API Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method&& method,
                                  const TrainingOptions& options = {}, const RunControl& control = {});

/// The end of the run in a folder, for RunControl::warm_start. `name` is what the manifest of the new run calls it.
/// Throws Error(checkpoint) where the run has not ended, or not well.
MOBLO_API WarmStart end_of_run(const std::filesystem::path& folder, const std::string& name = {});

}  // namespace moblo::training

namespace moblo {

using training::end_of_run;
using training::train_in_folder;

}  // namespace moblo
