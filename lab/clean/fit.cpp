#include "lab/clean/fit.hpp"

#include <algorithm>

#include "moblo/problem/batch.hpp"
#include "moblo/training/optimiser.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t rows_at_a_time = 8192;

nets::DenseClassifier descend(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                              Monitor& monitor) {
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
  plan.steps = std::min(std::max(options.steps, options.epochs * samples / options.batch), options.most_steps);
  plan.step_size = options.step_size;
  plan.dropout = {task.image ? options.input_dropout : 0, options.dropout};
  plan.seed = seed;
  return plan;
}

nets::DenseClassifier fit(const Lesson& lesson, const nets::DenseClassifier& start, const FitPlan& plan,
                          Monitor& monitor) {
  const torch::NoGradGuard no_grad;
  return descend(lesson, start, plan, monitor);
}

ClassChances class_chances(const nets::DenseClassifier& network, const torch::Tensor& inputs) {
  const auto classes = network.parameters().back().size(0);
  ClassChances out{static_cast<std::size_t>(classes), {}};
  out.values.reserve(static_cast<std::size_t>(inputs.size(0) * classes));
  for (std::int64_t first = 0; first < inputs.size(0); first += rows_at_a_time) {
    const auto some = inputs.narrow(0, first, std::min(rows_at_a_time, inputs.size(0) - first));
    const auto chances = network.log_chances(some).to(torch::kFloat64).exp_().contiguous();
    const auto* value = chances.data_ptr<double>();
    out.values.insert(out.values.end(), value, value + chances.numel());
  }
  return out;
}

}  // namespace moblo::lab::clean
