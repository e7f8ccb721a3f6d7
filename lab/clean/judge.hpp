#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/job_result.hpp"
#include "lab/clean/jobs.hpp"

namespace moblo::lab::clean {

/// What a judge learns from: the samples of a task outside one fold.
struct FoldWork {
  const CleanTask& task;
  const CleanOptions& options;
  std::vector<std::int64_t> noisy, trusted;  ///< rows of task.noisy and task.trusted that it may look at
  std::uint64_t seed = 0;
  const NoiseModel* noise = nullptr;  ///< how labels go wrong; null for judges of the first stage
};

/// Something that learns from labelled samples and gives the chances of the classes for others.
///
/// To add one: a function that returns a Judge, declared in judges.hpp, and its name in the list of all_judges()
/// (judges.cpp). The pipeline deals the samples to folds, noisy and trusted ones, and calls `learn` for each fold
/// without its samples and `chances` on these: every sample is judged by a model that has not seen its label. What
/// `learn` returns are tensors (a model in bytes is one of them): they are kept in clean_state, so that nothing is
/// learned twice, and written into the saved model where held-out evidence prefers it. The mixture with the other
/// judges, calibration, choice of the model and the tables of the page follow by themselves. `learn` must give the
/// same bits whatever the threads, and call Monitor::step() as often as `steps` says.
struct Judge {
  std::string name;      ///< of --judges, and of its files
  std::string sentence;  ///< what its model is, for tables
  std::string learns_from;
  int stage = 1;  ///< 2: needs to know how labels go wrong
  std::function<std::int64_t(const FoldWork&)> steps;
  std::function<JobResult(const FoldWork&, Monitor&)> learn;
  std::function<ClassChances(const JobResult& model, const torch::Tensor& inputs)> chances;
  std::function<bool(const CleanTask&)> possible;  ///< whether the task has what it needs
  bool by_default = true;                          ///< whether it is asked where --judges says nothing
  bool simple = false;                             ///< what one would do without this program
};

}  // namespace moblo::lab::clean
