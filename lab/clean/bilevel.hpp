#pragma once

#include <cstdint>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/jobs.hpp"
#include "lab/nets/dense_classifier.hpp"

namespace moblo::lab::clean {

/// What bi-level learning says of one dataset.
struct BilevelEvidence {
  std::vector<double> weights;    ///< sigmoid(alpha_j) of each noisy sample
  nets::DenseClassifier network;  ///< the shared layers and the dataset's own head
};

/// Tasks whose samples have one width share their layers: each group is one bi-level problem with one objective per
/// task.
std::vector<std::vector<std::size_t>> groups_of_one_width(const std::vector<CleanTask>& tasks);

/// FORUM on HyperCleaning with [presets.fast] of experiments/hyper_cleaning.toml: sample weights such that what is
/// learned from noisy labels under them does well on the trusted ones. One result per task of the group. Throws
/// Error(numeric) where the run did not end well, and Interrupted where the user asked to stop.
std::vector<BilevelEvidence> learn_weights(const std::vector<const CleanTask*>& group, const CleanOptions& options,
                                           Monitor& monitor);

JobResult to_result(const std::vector<BilevelEvidence>& evidence);
std::vector<BilevelEvidence> evidence_in(const JobResult& result, const std::vector<const CleanTask*>& group);

}  // namespace moblo::lab::clean
