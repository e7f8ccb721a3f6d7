#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"
#include "lab/clean/jobs.hpp"
#include "lab/nets/dense_classifier.hpp"

namespace moblo::lab::clean {

/// What a network learns from; see SoftTargets.
struct Lesson {
  torch::Tensor inputs, likelihood, weights;
};

torch::Tensor one_hot(const Labels& labels, std::size_t classes);
torch::Tensor label_likelihood(const Labels& given, const NoiseModel& noise);
/// One lesson below another.
Lesson joined(const Lesson& first, const Lesson& second);

struct FitPlan {
  std::int64_t steps = 1000, batch = 100;
  double step_size = 2e-3;
  nets::Dropout dropout;
  std::uint64_t seed = 0;
};

/// The recipe for so many samples.
FitPlan fit_plan(const CleanOptions& options, const CleanTask& task, std::int64_t samples, std::uint64_t seed);

/// Adam with a step size that falls to 0 along a cosine, from `start`.
nets::DenseClassifier fit(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                          Monitor& monitor);

ClassChances class_chances(const nets::DenseClassifier& network, const torch::Tensor& inputs);
}  // namespace moblo::lab::clean
