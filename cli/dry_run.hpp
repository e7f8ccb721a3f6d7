#pragma once

#include <filesystem>

#include "cli/arguments.hpp"
#include "lab/experiments/plan.hpp"

namespace moblo::cli {

/// Tells what `moblo run` would do in `folder`, and what it would cost, as text or with --json as one object. Writes no
/// file. Returns 0, or 130 where it was interrupted.
int tell_plan(const lab::experiments::ExperimentPlan& plan, const std::filesystem::path& folder, bool json);
/// Of `moblo run --resume`.
int tell_resume(const RunArguments& arguments);

}  // namespace moblo::cli
