#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "moblo/problem/problem.hpp"
#include "moblo/problem/shared_representation.hpp"

namespace moblo::methods {

/// Three regressions on one input: y_i = v_i' (W x), with W shared. Conflicting targets, positive losses.
class ThreeTasks : public BilevelProblem, public SharedRepresentation {
 public:
  explicit ThreeTasks(torch::ScalarType type = torch::kFloat64) {
    const auto draw = [&](std::vector<std::int64_t> shape, double from) {
      const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
      return (torch::arange(count, torch::kFloat64) * 0.7 + from).sin().view(shape).to(type);
    };
    trunk_ = draw({4, 5}, 0.1);
    inputs_ = draw({64, 5}, 0.3);
    targets_ = draw({64, 3}, 1.1) * 2 + 1;
    upper_.add("alpha", alpha_ = torch::zeros({3}, type));
    lower_.add("trunk", trunk_);
    for (int i = 0; i < 3; ++i) {
      heads_.push_back(draw({4}, 2.0 + i));
      lower_.add("head_" + std::to_string(i), heads_.back());
    }
    batches_ = std::make_unique<TensorBatches>(std::vector<TensorDataset>{{inputs_, targets_}}, 16, 7);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    return losses_of(torch::mm(batch.parts[0].inputs, trunk_.t()), batch);
  }
  Cut cut_at_representation(const Batch& batch) override {
    Cut cut{torch::mm(batch.parts[0].inputs, trunk_.t()), {}, {}};
    cut.leaf = cut.representation.detach().requires_grad_();
    cut.losses = losses_of(cut.leaf, batch);
    return cut;
  }
  const char* no_representation() const override { return nullptr; }
  torch::Tensor lower_loss(const Batch& batch) override {
    return torch::dot(torch::softmax(alpha_, 0), torch::stack(upper_losses(batch)));
  }
  BatchStream& upper_batches() override { return *batches_; }
  BatchStream& lower_batches() override { return *batches_; }
  ProblemTraits traits() const override { return {.tasks = true}; }
  std::int64_t shared_columns() override { return 20; }

 private:
  std::vector<torch::Tensor> losses_of(const torch::Tensor& features, const Batch& batch) const {
    std::vector<torch::Tensor> losses;
    for (int i = 0; i < 3; ++i) {
      losses.push_back((torch::mv(features, heads_[static_cast<std::size_t>(i)]) - batch.parts[0].targets.select(1, i))
                           .square()
                           .mean());
    }
    return losses;
  }

  torch::Tensor alpha_, trunk_, inputs_, targets_;
  std::vector<torch::Tensor> heads_;
  std::unique_ptr<TensorBatches> batches_;
};

}  // namespace moblo::methods
