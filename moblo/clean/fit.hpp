#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "moblo/clean/clean_options.hpp"
#include "moblo/clean/clean_task.hpp"
#include "moblo/clean/jobs.hpp"
#include "moblo/nets/dense_classifier.hpp"

namespace moblo {

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
  Dropout dropout;
  std::uint64_t seed = 0;
};

/// The recipe for so many samples.
FitPlan fit_plan(const CleanOptions& options, const CleanTask& task, std::int64_t samples, std::uint64_t seed);

/// Adam with a step size that falls to 0 along a cosine, from `start`.
DenseClassifier fit(const Lesson& lesson, const DenseClassifier& start, const FitPlan& plan, Monitor& monitor);
/// The same, but of ten moments on the way the one with the highest accuracy on `judge` is returned: a network that is
/// taught wrong labels is best before it knows them by heart.
DenseClassifier fit_and_select(const Lesson& lesson, const DenseClassifier& start, const FitPlan& plan,
                               const LabelledInputs& judge, Monitor& monitor);

ClassChances class_chances(const DenseClassifier& network, const torch::Tensor& inputs);
/// Share of the samples whose most probable class is their label.
double accuracy_of(const DenseClassifier& network, const LabelledInputs& samples);

}  // namespace moblo
