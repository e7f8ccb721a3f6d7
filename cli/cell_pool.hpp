#pragma once

#include <filesystem>
#include <vector>

#include "cli/outcome.hpp"
#include "lab/experiments/plan.hpp"

namespace moblo::cli {

struct PoolOptions {
  std::filesystem::path engine, folder;
  bool fresh = false;  ///< runs done cells again
  bool quiet = false;
  std::size_t done = 0, total = 0;  ///< for progress, where these are some of more cells; total 0: these are all
};

/// A cell that an earlier start left behind must be of the same plan; `next` says what to do where it is not.
void refuse_other_plan(const std::filesystem::path& folder, const lab::experiments::RunPlan& plan,
                       const std::string& next);

/// Runs the cells of an experiment, `plan.jobs` at a time, each in a process of its own. Done ones are taken as they
/// are, interrupted ones go on; one that fails or dies leaves the others alone. After an interrupt each running one
/// saves its state, and no further one is started: the outcomes are then fewer than the cells.
std::vector<Outcome> run_cells(const lab::experiments::ExperimentPlan& plan, const PoolOptions& options);

}  // namespace moblo::cli
