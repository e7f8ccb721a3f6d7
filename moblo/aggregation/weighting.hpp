#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"

namespace moblo::aggregation {

/// What a weighting asks for before it can weigh.
struct MOBLO_API WeightingNeeds {
  bool gramian = true;        ///< of the gradients by the shared parameters; without it a step is one backward pass
  bool entries = false;       ///< rewrite() wants the gradients themselves
  bool remembers = false;     ///< what it carries from step to step has a value for each entry
  bool losses = false;        ///< the weights, now or later, depend on L_1..L_m
  bool losses_after = false;  ///< observe_after() wants the losses of the same batch once the step is made
  bool scale_free = false;    ///< the weights stay where all gradients are multiplied by one number
  int samples = 1;            ///< independent batches per step; their gradients are stacked, batch by batch
};

/// Gradients by the shared parameters, one per row; not owned.
template <class Scalar>
struct GradientRows {
  Scalar* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t stride = 0;  ///< from one row to the next

  Scalar* row(std::int64_t i) const { return data + i * stride; }
};

/// One step as a weighting sees it.
struct MOBLO_API TaskStep {
  std::int64_t k = 0;
  std::int64_t epoch_length = 1;  ///< steps that make an epoch
  Eigen::VectorXd losses;         ///< L_1..L_m, of the first batch
  Eigen::MatrixXd gramian;        ///< of all rows (samples x m); empty where it is not needed
};

struct MOBLO_API TaskWeights {
  Eigen::VectorXd shared;  ///< the shared parameters go along -sum_i shared_i row_i; one per row
  Eigen::VectorXd heads;   ///< task i's own parameters go along -heads_i grad L_i; one per task
  std::string status{};    ///< how the small problem behind it was solved; empty where there is none
  double residual = 0;     ///< of that problem's optimality conditions
};

/// What a weighting carries from step to step; a checkpoint is just that value.
struct MOBLO_API WeightingState {
  Json values = Json::object();
  std::vector<std::pair<std::string, std::vector<double>>> arrays;  ///< those that grow with the parameters
};

/// How the gradients of several tasks become one direction. No torch, no clock; randomness is a function of a seed and
/// k.
class MOBLO_API Weighting {
 public:
  virtual ~Weighting() = default;

  virtual WeightingNeeds needs() const { return {}; }
  /// Sets the state for iteration 0.
  virtual void start(Eigen::Index tasks) { tasks_ = tasks; }

  /// Only where needs().entries: changes the rows in place, before their Gramian is taken.
  virtual void rewrite(const TaskStep& /*without a Gramian*/, const GradientRows<float>&) {}
  virtual void rewrite(const TaskStep& /*without a Gramian*/, const GradientRows<double>&) {}

  /// Throws Error(numeric) where there is no certified answer; the state stays as it was then.
  virtual TaskWeights weigh(const TaskStep& step) = 0;

  /// Only where needs().losses_after.
  virtual void observe_after(const Eigen::VectorXd& /*losses*/) {}

  virtual WeightingState save() const { return {}; }
  virtual void restore(const WeightingState&) {}

  Eigen::Index tasks() const { return tasks_; }

 protected:
  Eigen::Index tasks_ = 0;
};

/// Weights of the shared gradients alone: each head takes its own gradient as it is.
inline TaskWeights gradient_weights(Eigen::VectorXd weights, Eigen::Index tasks) {
  return {.shared = std::move(weights), .heads = Eigen::VectorXd::Ones(tasks)};
}

/// Weights of the losses: heads are weighted like the shared parameters.
inline TaskWeights loss_weights(const Eigen::VectorXd& weights) {
  return {.shared = weights, .heads = weights};
}

}  // namespace moblo::aggregation

namespace moblo {

using aggregation::TaskStep;
using aggregation::TaskWeights;
using aggregation::Weighting;
using aggregation::WeightingNeeds;

}  // namespace moblo
