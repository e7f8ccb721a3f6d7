#pragma once

#include <string>

#include "moblo/problem/problem.hpp"

namespace moblo::testing_problems {

struct LearnedStartOptions {
  bool rows = false;    ///< one w per task, or one for all
  double proximal = 0;  ///< of |w_j - alpha|^2 / 2
  std::string upper_name = "w";
  std::int64_t upper_size = 3;
  std::int64_t tasks = 4, batch = 2;
};

/// Tasks j with targets c_j and d_j in R^3:
///   f = sum_j sum (cosh(w_j - c_j) - 1) + proximal/2 |w_j - alpha|^2,  F_1 = mean_j |w_j - d_j|^2 / 2,  F_2 = mean_j
///   sum sin(w_j).
class LearnedStart : public BilevelProblem {
 public:
  explicit LearnedStart(const LearnedStartOptions& options = {})
      : options_(options),
        start_(torch::linspace(-0.5, 0.7, options.upper_size, torch::kFloat64)),
        lower_targets_(torch::linspace(-1, 1, 3 * options.tasks, torch::kFloat64).view({options.tasks, 3}).cos()),
        upper_targets_(torch::linspace(0, 2, 3 * options.tasks, torch::kFloat64).view({options.tasks, 3}).sin()),
        lower_stream_(options),
        upper_stream_(options) {
    upper_.add(options.upper_name, start_);
    shared_ = torch::full({3}, 0.1, torch::kFloat64);
    table_ = torch::linspace(0, 1, 3 * options.tasks, torch::kFloat64).view({options.tasks, 3}).clone();
    if (options.rows) {
      lower_.add_rows("w", table_);
    } else {
      lower_.add("w", shared_);
    }
  }

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    const auto w = of(batch);
    const auto& tasks = batch.parts[0].indices;
    return {(w - upper_targets_.index_select(0, tasks)).square().sum(-1).mean() / 2, w.sin().sum(-1).mean()};
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    const auto w = of(batch);
    auto loss = ((w - lower_targets_.index_select(0, batch.parts[0].indices)).cosh() - 1).sum();
    if (options_.proximal > 0) loss = loss + (w - start_).square().sum() * (options_.proximal / 2);
    return loss;
  }
  BatchStream& upper_batches() override { return upper_stream_; }
  BatchStream& lower_batches() override { return lower_stream_; }
  ProblemTraits traits() const override { return {.strongly_convex_lower = true}; }

  const torch::Tensor& start() const { return start_; }
  const torch::Tensor& table() const { return table_; }

 private:
  /// Batch k: tasks k batch .. , around and around.
  class Tasks : public BatchStream {
   public:
    explicit Tasks(const LearnedStartOptions& options) : tasks_(options.tasks), batch_(options.batch) {}
    Batch at(std::int64_t number) override {
      auto indices = torch::arange(number * batch_, (number + 1) * batch_, torch::kInt64).remainder(tasks_);
      return {.number = number, .parts = {{indices, {}, {}}}, .inputs = {}};
    }
    std::int64_t epoch_length() const override { return tasks_ / batch_; }

   private:
    std::int64_t tasks_, batch_;
  };

  torch::Tensor of(const Batch& batch) {
    return options_.rows ? lower_.rows("w", batch.parts[0].indices) : shared_.unsqueeze(0);
  }

  LearnedStartOptions options_;
  torch::Tensor start_, lower_targets_, upper_targets_, shared_, table_;
  Tasks lower_stream_, upper_stream_;
};

}  // namespace moblo::testing_problems
