#pragma once

#include <functional>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// Borrows, for as long as it lives, the rows of the lower level that a lower batch reads (the next one of the stream
/// where none is given), so that each task of the batch moves its own variables. lower_loss is evaluated once to see
/// which rows these are; without per-row lower parameters nothing is evaluated and nothing happens.
class LowerRowsBorrowed {
 public:
  explicit LowerRowsBorrowed(BilevelProblem& problem)
      : LowerRowsBorrowed(problem, [&] { return problem.lower_batches().at(problem.lower_batches().position()); }) {}
  LowerRowsBorrowed(BilevelProblem& problem, const std::function<Batch()>& batch);
  ~LowerRowsBorrowed() { lower_.return_rows(); }
  LowerRowsBorrowed(const LowerRowsBorrowed&) = delete;
  LowerRowsBorrowed& operator=(const LowerRowsBorrowed&) = delete;

 private:
  ParameterPack& lower_;
};

}  // namespace moblo::gradients
