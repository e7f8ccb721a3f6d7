#pragma once

#include "moblo/gradients/hypergradient_mode.hpp"
#include "moblo/gradients/value_function.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// The lower loop of a method: how often and how far it steps, and omega_0 where every loop starts from it again.
/// A start at alpha moves alpha in two ways: through the steps, which the reverse modes of the hypergradient follow,
/// and through f(alpha, .), all that the other methods see.
class LowerLoop {
 public:
  /// `Options` are a method's, with the four fields that all of them have.
  template <class Options>
  void start(const Options& options, BilevelProblem& problem, std::int64_t objectives) {
    objectives_ = objectives;
    solve_ = configured(options);
    bool follows_start = false;
    if constexpr (requires { options.hypergradient; }) follows_start = !gradients::is_implicit(options.hypergradient);
    refuse_bad_start(options.inner_start, follows_start, problem);
    const bool keeps_start = options.inner_start == InnerStart::initial;
    solve_.start = keeps_start ? problem.lower().values().clone() : torch::Tensor();
  }

  const InnerSolve& solve() const { return solve_; }
  std::int64_t objectives() const { return objectives_; }

  /// w~, and omega_0 where it is kept.
  std::int64_t omegas_held() const { return solve_.start.defined() ? 2 : 1; }
  /// Beside them the rows of the F_i and of q, and a direction.
  Held held_by_constrained_step() const { return {.omegas = objectives_ + 2 + omegas_held()}; }

  void save(Snapshot& to) const;
  /// After start().
  void restore(const Snapshot& from);

 private:
  static void refuse_bad_start(InnerStart start, bool follows_start, BilevelProblem& problem);

  template <class Options>
  static InnerSolve configured(const Options& options) {
    InnerSolve solve;
    solve.steps = options.inner_steps;
    solve.step_size = options.inner_step_size;
    solve.fresh_batches = options.inner_batches == InnerBatches::fresh;
    solve.from_current = options.inner_start == InnerStart::current;
    solve.from_upper = options.inner_start == InnerStart::upper;
    if constexpr (requires { options.inner_loss_limit; }) {
      if (*options.inner_loss_limit > 0) solve.loss_limit = *options.inner_loss_limit;
    }
    return solve;
  }

  std::int64_t objectives_ = 0;
  InnerSolve solve_;
};

}  // namespace moblo::methods
