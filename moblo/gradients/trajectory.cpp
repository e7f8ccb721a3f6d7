#include "moblo/gradients/trajectory.hpp"

#include <algorithm>
#include <optional>

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_steps.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/problem/lower_kernel.hpp"

namespace moblo::gradients {

Trajectory::Trajectory(BilevelProblem& problem, const InnerSolve& inner, std::int64_t spacing)
    : problem_(problem), inner_(inner), spacing_(spacing), first_batch_(problem.lower_batches().position()) {}

Batch Trajectory::batch(std::int64_t t) const {
  return problem_.lower_batches().at(inner_.fresh_batches ? first_batch_ + t : first_batch_);
}

/// One step in place. Returns the loss before it.
double Trajectory::advance(torch::Tensor& omega, std::int64_t t) {
  ++gradient_counts().lower;
  if (auto* kernel = LowerKernel::of(problem_)) return kernel->descend(batch(t), omega, inner_.step_size);
  auto& lower = problem_.lower();
  const problem::BoundElsewhere bound(lower, omega);
  const auto loss = lower_loss(problem_, batch(t));
  Targets targets;
  targets.add(lower, omega);
  const double before = value_of(loss);
  subtract_gradient(loss, targets, inner_.step_size);
  return before;
}

double Trajectory::run() {
  last_ = starting_point(problem_, inner_);
  std::optional<problem::BuffersKept> buffers_kept;
  if (!inner_.starts_at_omega()) buffers_kept.emplace(problem_.lower());
  double start_loss = 0;
  for (std::int64_t t = 0; t < inner_.steps; ++t) {
    if (t % spacing_ == 0) kept_.push_back({last_.clone(), torch_random_state()});
    const double loss = advance(last_, t);
    if (t == 0) start_loss = loss;
    if (!buffers_kept) buffers_kept.emplace(problem_.lower());
  }
  most_held_ = static_cast<std::int64_t>(kept_.size());
  problem_.lower_batches().seek(first_batch_ + (inner_.fresh_batches ? std::max<std::int64_t>(inner_.steps, 1) : 1));
  return start_loss;
}

const Trajectory::Point& Trajectory::at(std::int64_t t) {
  const std::int64_t segment = t / spacing_, first = segment * spacing_;
  if (segment != held_segment_) {
    const problem::SlicesPaused values_only(problem_.upper());
    segment_.assign(1, kept_[static_cast<std::size_t>(segment)]);
    set_torch_random_state(segment_.front().random_state);
    torch::Tensor omega;
    for (std::int64_t next = first + 1; next < std::min(first + spacing_, inner_.steps); ++next) {
      if (!omega.defined()) omega = segment_.front().omega.clone();
      advance(omega, next - 1);
      segment_.push_back({omega.clone(), torch_random_state()});
    }
    held_segment_ = segment;
    most_held_ = std::max(most_held_, static_cast<std::int64_t>(kept_.size() + segment_.size() - 1));
  }
  return segment_[static_cast<std::size_t>(t - first)];
}

}  // namespace moblo::gradients
