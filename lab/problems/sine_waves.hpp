#pragma once

#include <array>
#include <memory>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

/// A learned initialisation (MAML): many small regressions, each with a few points.
struct SineWavesOptions {
  bool lines = false;             ///< a second family of tasks, straight lines, and an objective for it
  std::int64_t tasks = 1000;      ///< training tasks per family
  std::int64_t batch = 25;        ///< tasks of a family in a batch
  std::int64_t shots = 10;        ///< points that the lower loss sees per task
  std::int64_t queries = 10;      ///< points that the upper loss sees per task
  std::int64_t hidden = 40;       ///< width of the two hidden layers
  double proximal = 0;            ///< weight of |w - alpha|^2 / 2 in f
  std::int64_t test_tasks = 200;  ///< new tasks per family on which evaluate() adapts the start
  std::int64_t test_steps = 5;    ///< gradient steps on each of them ...
  double test_step_size = 0.01;   ///< ... of this size
  Dtype dtype = Dtype::f32;

  static const OptionTable<SineWavesOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

ProblemInfo sine_waves_info();

/// alpha is a network 1 - hidden - hidden - 1, and each task j has a network w_j of its own, one row per task:
///   f = sum_j mean over the shots of task j of (w_j(x) - y)^2 + proximal/2 |w_j - alpha|^2,
///   F_i = mean over the tasks of family i of the mean squared error on their queries.
/// Without a proximal term f does not depend on alpha: then alpha matters as the start of the lower loop alone.
/// Tasks: a sin(x - b) with a in [0.1, 5], b in [0, pi]; lines a x + b with a in [-1, 1], b in [-2, 2]; x in [-5, 5].
/// New points are drawn in each batch.
class SineWaves : public BilevelProblem {
 public:
  SineWaves(const SineWavesOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  std::vector<std::string> objective_names() const override;
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *queries_; }
  BatchStream& lower_batches() override { return *shots_; }
  ProblemTraits traits() const override { return sine_waves_info().traits; }
  /// Mean squared error on new tasks at alpha, after one step and after `test_steps` steps on their shots.
  std::vector<std::pair<std::string, double>> evaluate() override;

 private:
  class NewTasks;
  using Network = std::array<torch::Tensor, 6>;  ///< weights and biases of the three layers, one row per task

  Network of_tasks(const torch::Tensor& indices);
  /// (tasks, points, 1) -> the same shape.
  static torch::Tensor predict(const Network& network, const torch::Tensor& inputs);
  /// One number per task.
  static torch::Tensor errors(const Network& network, const BatchPart& points);
  double test_error(std::size_t family, std::int64_t steps);

  SineWavesOptions options_;
  Network start_;  ///< alpha
  std::unique_ptr<BatchStream> shots_, queries_;
  std::vector<BatchPart> test_shots_, test_queries_;
};

}  // namespace moblo::lab::problems
