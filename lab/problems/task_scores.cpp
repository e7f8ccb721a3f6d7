#include "lab/problems/task_scores.hpp"

#include <span>

#include "lab/metrics/depth.hpp"
#include "lab/metrics/normals.hpp"
#include "lab/metrics/regression.hpp"
#include "lab/metrics/segmentation.hpp"

namespace moblo::lab::problems {
namespace {

using Metrics = std::vector<std::pair<std::string, double>>;

torch::Tensor labels_of(const torch::Tensor& targets, std::int64_t column) {
  return column < 0 ? targets : targets.select(1, column);
}

torch::Tensor floats(const torch::Tensor& values) {
  return values.to(torch::kFloat32).contiguous();
}

template <class T>
std::span<const T> span_of(const torch::Tensor& dense) {
  return {dense.data_ptr<T>(), static_cast<std::size_t>(dense.numel())};
}

class Accuracy : public TaskScore {
 public:
  explicit Accuracy(std::int64_t column) : column_(column) {}

  bool comparable() const override { return true; }

  void add(const torch::Tensor& outputs, const torch::Tensor& targets) override {
    right_ += outputs.argmax(1).eq(labels_of(targets, column_)).sum().item().toLong();
    all_ += outputs.size(0);
  }
  Metrics metrics() const override {
    return {{"accuracy", all_ > 0 ? 100.0 * static_cast<double>(right_) / static_cast<double>(all_) : 0}};
  }

 private:
  std::int64_t column_, right_ = 0, all_ = 0;
};

class AbsoluteError : public TaskScore {
 public:
  AbsoluteError(std::int64_t column, double deviation) : column_(column), deviation_(deviation) {}

  void add(const torch::Tensor& outputs, const torch::Tensor& targets) override {
    const auto truth = floats(targets.select(1, column_)), predicted = floats(outputs);
    errors_.add(span_of<float>(truth), span_of<float>(predicted));
  }
  Metrics metrics() const override { return {{"MAE", deviation_ * errors_.means()[0]}}; }

 private:
  std::int64_t column_;
  double deviation_;
  metrics::AbsoluteErrors errors_{1};
};

torch::Tensor planes(const torch::Tensor& targets, std::int64_t first, std::int64_t count) {
  return targets.narrow(1, first, count);
}

class Segmentation : public TaskScore {
 public:
  explicit Segmentation(int classes) : matrix_(classes) {}

  void add(const torch::Tensor& outputs, const torch::Tensor& targets) override {
    const auto truth = planes(targets, ScenePlanes::label, 1).to(torch::kInt32).contiguous(),
               predicted = outputs.argmax(1).to(torch::kInt32).contiguous();
    matrix_.add(span_of<std::int32_t>(truth), span_of<std::int32_t>(predicted));
  }
  Metrics metrics() const override {
    return {{"mIoU", 100 * matrix_.mean_iou()}, {"pixel accuracy", 100 * matrix_.pixel_accuracy()}};
  }

 private:
  metrics::ConfusionMatrix matrix_;
};

class Depth : public TaskScore {
 public:
  void add(const torch::Tensor& outputs, const torch::Tensor& targets) override {
    const auto truth = floats(planes(targets, ScenePlanes::depth, 1)), predicted = floats(outputs);
    error_.add(span_of<float>(truth), span_of<float>(predicted));
  }
  Metrics metrics() const override {
    return {{"absolute error", error_.absolute()}, {"relative error", error_.relative()}};
  }

 private:
  metrics::DepthError error_;
};

class Normals : public TaskScore {
 public:
  void add(const torch::Tensor& outputs, const torch::Tensor& targets) override {
    const auto truth = floats(planes(targets, ScenePlanes::normal, 3)), predicted = floats(outputs);
    angles_.add(span_of<float>(truth), span_of<float>(predicted), truth.size(2) * truth.size(3));
  }
  Metrics metrics() const override {
    return {{"angle mean", angles_.mean()},
            {"angle median", angles_.median()},
            {"within 11.25", 100 * angles_.within_11()},
            {"within 22.5", 100 * angles_.within_22()},
            {"within 30", 100 * angles_.within_30()}};
  }

 private:
  metrics::NormalAngles angles_;
};

/// The mean over the pixels of a mask; 0 where it is empty, with a gradient of 0.
torch::Tensor mean_over(const torch::Tensor& values, const torch::Tensor& mask) {
  return (values * mask).sum() / mask.sum().clamp_min(1);
}

torch::Tensor scene_cross_entropy(const torch::Tensor& outputs, const torch::Tensor& targets) {
  const auto labels = targets.select(1, ScenePlanes::label).to(torch::kInt64);
  return torch::cross_entropy_loss(outputs, labels, {}, at::Reduction::Mean, /*ignore_index=*/-1);
}

torch::Tensor depth_loss(const torch::Tensor& outputs, const torch::Tensor& targets) {
  const auto truth = planes(targets, ScenePlanes::depth, 1);
  return mean_over((outputs - truth).abs(), truth.gt(0).to(outputs.scalar_type()));
}

torch::Tensor normal_loss(const torch::Tensor& outputs, const torch::Tensor& targets) {
  const auto truth = planes(targets, ScenePlanes::normal, 3);
  const auto length = outputs.square().sum(1, true).add(1e-12).sqrt();
  const auto known = truth.square().sum(1, true).gt(0).to(outputs.scalar_type());
  return 1 - mean_over(((outputs / length) * truth).sum(1, true), known);
}

}  // namespace

Task classification_task(std::string name, std::int64_t column) {
  return {std::move(name),
          [column](const torch::Tensor& outputs, const torch::Tensor& targets) {
            return torch::cross_entropy_loss(outputs, labels_of(targets, column));
          },
          [column] { return std::make_unique<Accuracy>(column); }};
}

Task regression_task(std::string name, std::int64_t column, double deviation) {
  return {std::move(name),
          [column](const torch::Tensor& outputs, const torch::Tensor& targets) {
            return torch::mse_loss(outputs.squeeze(1), targets.select(1, column));
          },
          [column, deviation] { return std::make_unique<AbsoluteError>(column, deviation); }};
}

Task segmentation_task(int classes) {
  return {"segmentation", scene_cross_entropy, [classes] { return std::make_unique<Segmentation>(classes); }};
}

Task depth_task() {
  return {"depth", depth_loss, [] { return std::make_unique<Depth>(); }};
}

Task normal_task() {
  return {"normal", normal_loss, [] { return std::make_unique<Normals>(); }};
}

}  // namespace moblo::lab::problems
