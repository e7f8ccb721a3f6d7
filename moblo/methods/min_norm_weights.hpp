#pragma once

#include <Eigen/Core>
#include <memory>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// lambda = argmin over the simplex of |sum lambda_i h_i|^2, by the certified solver, for methods that combine rows in
/// this way alone.
class MinNormWeights {
 public:
  MinNormWeights();

  void start(std::int64_t objectives) { mgda_->start(objectives); }
  /// From the Gramian of the h_i; notes weights, status and residual in the record. Throws Error(numeric) where the QP
  /// has no certified answer.
  Eigen::VectorXd weigh(const Eigen::MatrixXd& gramian, StepRecord& record);

  void save(Snapshot& to) const;
  void restore(const Snapshot& from);

 private:
  std::unique_ptr<Weighting> mgda_;
};

}  // namespace moblo::methods
