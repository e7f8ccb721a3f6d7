#include "lab/metrics/segmentation.hpp"

#include <fmt/format.h>

#include <numeric>

#include "lab/metrics/pairs.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::metrics {

ConfusionMatrix::ConfusionMatrix(int classes) : classes_(static_cast<std::size_t>(classes)) {
  if (classes < 1) {
    throw Error(ErrorKind::data, fmt::format("{} classes", classes), "a confusion matrix needs at least one", "");
  }
  counts_.assign(classes_ * classes_, 0);
}

void ConfusionMatrix::add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted) {
  refuse_unless_paired(truth.size(), predicted.size());
  const auto outside = [&](std::int32_t label) { return label < 0 || static_cast<std::size_t>(label) >= classes_; };
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    if (outside(truth[i]) || outside(predicted[i])) {
      throw Error(ErrorKind::data, fmt::format("pixel {}: class {}, predicted {}", i, truth[i], predicted[i]),
                  fmt::format("the classes are 0 to {}", classes_ - 1), "Mark void pixels by -1");
    }
    ++counts_[static_cast<std::size_t>(truth[i]) * classes_ + static_cast<std::size_t>(predicted[i])];
  }
}

std::int64_t ConfusionMatrix::count(int truth, int predicted) const {
  return counts_.at(static_cast<std::size_t>(truth) * classes_ + static_cast<std::size_t>(predicted));
}

std::int64_t ConfusionMatrix::pixels() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double ConfusionMatrix::mean_iou() const {
  double sum = 0;
  int occurring = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    std::int64_t either = -counts_[c * classes_ + c];
    for (std::size_t other = 0; other < classes_; ++other) {
      either += counts_[c * classes_ + other] + counts_[other * classes_ + c];
    }
    if (either == 0) continue;
    sum += static_cast<double>(counts_[c * classes_ + c]) / static_cast<double>(either);
    ++occurring;
  }
  return measured(sum, occurring);
}

double ConfusionMatrix::pixel_accuracy() const {
  std::int64_t right = 0;
  for (std::size_t c = 0; c < classes_; ++c) right += counts_[c * classes_ + c];
  return measured(static_cast<double>(right), pixels());
}

}  // namespace moblo::lab::metrics
