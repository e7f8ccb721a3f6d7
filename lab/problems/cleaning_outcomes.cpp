#include <algorithm>
#include <numeric>

#include "lab/problems/cleaning.hpp"
#include "lab/report/png.hpp"

namespace moblo::lab::problems {
namespace {

constexpr std::size_t most_pictures = 24;

template <class Number>
std::vector<Number> to_vector(const torch::Tensor& tensor, torch::ScalarType type) {
  const auto dense = tensor.to(type).contiguous();
  const auto* data = dense.data_ptr<Number>();
  return {data, data + dense.numel()};
}

/// One row of pixels, bytes or in [0, 1], as a grey image.
std::string picture_of(const torch::Tensor& row, std::int64_t height, std::int64_t width) {
  return report::png(height, width, 1,
                     to_vector<std::uint8_t>((numbers_of(row, torch::kFloat64) * 255).round(), torch::kUInt8));
}

void add_pictures(SampleOutcomes& outcomes, const CleaningTask& task) {
  if (task.height * task.width != task.train.inputs.size(1)) return;
  std::vector<std::size_t> order(outcomes.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return outcomes.weights[a] < outcomes.weights[b]; });
  order.resize(std::min(order.size(), most_pictures));
  for (const auto sample : order) {
    const auto index = static_cast<std::int64_t>(sample);
    outcomes.pictures.push_back({index, picture_of(task.train.inputs[index], task.height, task.width)});
  }
}

}  // namespace

std::vector<SampleOutcomes> HyperCleaning::sample_outcomes() {
  torch::NoGradGuard no_grad;
  std::vector<SampleOutcomes> all;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& task = tasks_[i];
    SampleOutcomes outcomes;
    outcomes.dataset = task.name;
    outcomes.weights = to_vector<double>(torch::sigmoid(alpha_[i]), torch::kFloat64);
    outcomes.given = to_vector<std::int64_t>(task.train.targets, torch::kInt64);
    outcomes.predicted = classes_of(task.train.inputs, i);
    outcomes.wrong = task.wrong;
    add_pictures(outcomes, task);
    all.push_back(std::move(outcomes));
  }
  return all;
}

}  // namespace moblo::lab::problems
