#pragma once

#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/findings.hpp"
#include "lab/clean/jobs.hpp"
#include "lab/nets/dense_classifier.hpp"

namespace moblo::lab::clean {

struct Cleaned {
  std::vector<DatasetFindings> findings;        ///< one per task
  std::vector<nets::DenseClassifier> networks;  ///< refitted, one per task
};

/// 1. Bi-level learning (FORUM) gives weights and a network for each dataset.
/// 2. That network's chances, made honest on held-out trusted samples, give a first model of how labels go wrong.
/// 3. Each fold's samples are judged by a network that learned from the trusted samples and from the other folds, whose
///    labels it takes for what they are: draws of the noise model. Two rounds: the first starts from the bi-level
///    network, the second afresh with the noise model that the first one gives. The network that learned from the
///    trusted labels only is a third judge; the held-out samples decide how much each of them counts.
/// 4. Bayes' rule gives P(wrong), calibrated on the held-out samples.
/// 5. A network is refitted on everything, each given label weighted with the probability that it is right.
///
/// Test sets and what is known of wrong labels decide nothing; they are for the figures.
/// What `state` holds already is not done again, what is found out is kept there: stopped and gone on with, it ends
/// with the same bits.
Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state);
Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor);

}  // namespace moblo::lab::clean
