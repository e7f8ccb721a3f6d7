#pragma once

#include <string>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/findings.hpp"
#include "lab/clean/jobs.hpp"
#include "lab/clean/judge.hpp"

namespace moblo::lab::clean {

/// One of the models whose chances, in these shares, are those of the saved one.
struct ModelMember {
  const Judge* judge = nullptr;
  std::int64_t fold = 0;  ///< it has not seen
  double share = 1;
  JobResult tensors;
};
using CleanModel = std::vector<ModelMember>;

ClassChances chances_of(const CleanModel& model, const torch::Tensor& inputs);

struct Cleaned {
  std::vector<DatasetFindings> findings;  ///< one per task
  std::vector<CleanModel> models;         ///< one per task; empty where all evidence was brought by the user
};

/// 1. Judges that need nothing else look at each fold of the samples, noisy and trusted ones, having learned from the
///    others.
/// 2. Their pool (pool.hpp) gives a model of how labels go wrong, for each fold without its trusted samples; judges
///    that take labels for draws of it look at the folds.
/// 3. The pool of all judges gives P(class | inputs, given label). Checked pairs calibrate it; pools without a fold's
///    pairs measure what it is worth. Where there are no pairs, the noise model makes them up, which is an assumption.
/// 4. The model that held-out evidence prefers (choice.hpp) is the mean of the fold models of a judge, or of all.
///
/// Test sets and what is known of wrong labels decide nothing; they are for the figures.
/// What `state` holds already is not done again, what is found out is kept there: stopped and gone on with, it ends
/// with the same bits.
Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state);
Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor);

}  // namespace moblo::lab::clean
