#pragma once

#include <vector>

#include "lab/clean/folds.hpp"
#include "lab/clean/judge.hpp"
#include "lab/clean/pool.hpp"

namespace moblo::lab::clean {

/// A judge at work on a task: its models, one a fold, and what they say of the samples in their folds.
struct CrossFit {
  const Judge* judge = nullptr;  ///< null where the chances were brought by the user
  Evidence evidence;
  std::vector<JobResult> models;
};

CrossFit empty_cross_fit(const Judge& judge, const CleanTask& task, const CleanOptions& options);
CrossFit brought_cross_fit(const CleanTask& task);

FoldWork fold_work(const CleanTask& task, const CleanOptions& options, const Folds& folds, std::int64_t k,
                   std::uint64_t seed);

/// Learns and looks at fold k; `work` gives what a judge may look at, once it is known.
Job fold_job(const std::string& name, const Folds& folds, std::int64_t k, std::function<FoldWork()> work,
             std::int64_t steps, CrossFit& into, Monitor& monitor);

/// What the judges say of the noisy samples, and of the trusted ones.
std::vector<ClassChances> on_noisy(const std::vector<CrossFit>& fits, int last_stage);
std::vector<ClassChances> on_trusted(const std::vector<CrossFit>& fits, int last_stage);

}  // namespace moblo::lab::clean
