#include "lab/clean/fit.hpp"

#include <algorithm>
#include <functional>

#include "lab/metrics/classification.hpp"
#include "moblo/problem/batch.hpp"
#include "moblo/training/optimiser.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t moments = 10;

using AfterStep = std::function<void(std::int64_t done, const nets::DenseClassifier& network)>;

nets::DenseClassifier descend(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                              Monitor& monitor, const AfterStep& after_step) {
  auto network = start.clone();
  OptimiserOptions options;
  options.kind = OptimiserKind::adam;
  options.step_size = plan.step_size;
  options.schedule.kind = ScheduleKind::cosine;
  training::Optimiser adam(options, "network");
  TensorBatches batches({{lesson.inputs, lesson.likelihood}}, plan.batch, derive_seed(plan.seed, "batches"));
  Rng rng(derive_seed(plan.seed, "dropout"));
  for (std::int64_t k = 0; k < plan.steps; ++k) {
    const auto batch = batches.next();
    const auto& part = batch.parts.front();
    const nets::SoftTargets targets{part.targets, lesson.weights.index_select(0, part.indices)};
    const auto direction = network.gradient(part.inputs, targets, plan.dropout, rng).neg_();
    adam.update(network.values(), direction, options.schedule.at(k, plan.steps));
    if (after_step) after_step(k + 1, network);
    monitor.step();
  }
  return network;
}

}  // namespace

torch::Tensor one_hot(const Labels& labels, std::size_t classes) {
  auto rows = torch::zeros({static_cast<std::int64_t>(labels.size()), static_cast<std::int64_t>(classes)});
  auto* value = rows.data_ptr<float>();
  for (std::size_t j = 0; j < labels.size(); ++j) value[j * classes + static_cast<std::size_t>(labels[j])] = 1;
  return rows;
}

torch::Tensor label_likelihood(const Labels& given, const NoiseModel& noise) {
  auto rows = torch::empty({static_cast<std::int64_t>(given.size()), static_cast<std::int64_t>(noise.classes)});
  auto* value = rows.data_ptr<float>();
  for (const auto y : given) {
    for (std::size_t c = 0; c < noise.classes; ++c) {
      *value++ = static_cast<float>(noise.at(static_cast<std::int64_t>(c), y));
    }
  }
  return rows;
}

Lesson joined(const Lesson& first, const Lesson& second) {
  return {torch::cat({first.inputs, second.inputs}), torch::cat({first.likelihood, second.likelihood}),
          torch::cat({first.weights, second.weights})};
}

FitPlan fit_plan(const CleanOptions& options, const CleanTask& task, std::int64_t samples, std::uint64_t seed) {
  FitPlan plan;
  plan.batch = options.batch;
  plan.steps = std::max(options.steps, options.epochs * samples / options.batch);
  plan.step_size = options.step_size;
  plan.dropout = {task.image ? options.input_dropout : 0, options.dropout};
  plan.seed = seed;
  return plan;
}

nets::DenseClassifier fit(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                          Monitor& monitor) {
  const torch::NoGradGuard no_grad;
  return descend(lesson, start, plan, monitor, nullptr);
}

nets::DenseClassifier fit_and_select(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                                     const LabelledInputs& judge, Monitor& monitor) {
  const torch::NoGradGuard no_grad;
  auto best = start.clone();
  double best_accuracy = -1;
  descend(lesson, start, plan, monitor, [&](std::int64_t done, const nets::DenseClassifier& network) {
    if (done * moments / plan.steps == (done - 1) * moments / plan.steps) return;
    const double accuracy = accuracy_of(network, judge);
    if (accuracy <= best_accuracy) return;
    best_accuracy = accuracy;
    best = network.clone();
  });
  return best;
}

ClassChances class_chances(const nets::DenseClassifier& network, const torch::Tensor& inputs) {
  const auto chances = network.log_chances(inputs).to(torch::kFloat64).exp_().contiguous();
  const auto* first = chances.data_ptr<double>();
  return {static_cast<std::size_t>(chances.size(1)), {first, first + chances.numel()}};
}

double accuracy_of(const nets::DenseClassifier& network, const LabelledInputs& samples) {
  const auto classes = network.log_chances(samples.inputs).argmax(1).contiguous();
  const auto* first = classes.data_ptr<std::int64_t>();
  return metrics::accuracy(samples.labels, Labels(first, first + classes.numel()));
}

}  // namespace moblo::lab::clean
