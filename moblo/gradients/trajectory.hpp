#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/gradients/value_function.hpp"

namespace moblo::gradients {

/// The iterates of  w_{t+1} = w_t - eta grad_w f(alpha, w_t; batch_t),  to be visited once more in any order. Keeps
/// w_0, w_s, w_2s .. for a spacing s; the others are recomputed a segment at a time, to the same bits: batches are a
/// function of their number, and the random numbers of each step (dropout) are replayed. Keeps no graphs.
class Trajectory {
 public:
  /// One iterate and the random state from which its loss is evaluated.
  struct Point {
    torch::Tensor omega, random_state;
  };

  Trajectory(BilevelProblem& problem, const InnerSolve& inner, std::int64_t spacing);

  /// The T steps. Returns f(alpha, w_0) on the first batch. Running statistics see that loss where w_0 is the model's
  /// omega, and nothing else.
  double run();

  std::int64_t steps() const { return inner_.steps; }
  const torch::Tensor& last() const { return last_; }  ///< w_T
  Batch batch(std::int64_t t) const;                   ///< of step t
  /// w_t for t < T. Valid until the next call.
  const Point& at(std::int64_t t);
  /// The most iterates that were held at one time, w_T apart.
  std::int64_t most_held() const { return most_held_; }

 private:
  double advance(torch::Tensor& omega, std::int64_t t);

  BilevelProblem& problem_;
  InnerSolve inner_;
  std::int64_t spacing_, first_batch_, held_segment_ = -1, most_held_ = 0;
  std::vector<Point> kept_, segment_;
  torch::Tensor last_;
};

}  // namespace moblo::gradients
