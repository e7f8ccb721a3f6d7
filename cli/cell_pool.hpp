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
};

/// Runs the cells of an experiment, `plan.jobs` at a time, each in a process of its own. Done ones are taken as they
/// are, interrupted ones go on; one that fails or dies leaves the others alone. After an interrupt each running one
/// saves its state, and no further one is started: the outcomes are then fewer than the cells.
std::vector<Outcome> run_cells(const lab::experiments::ExperimentPlan& plan, const PoolOptions& options);

}  // namespace moblo::cli
