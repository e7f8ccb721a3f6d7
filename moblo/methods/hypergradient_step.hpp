#pragma once

#include "moblo/gradients/hypergradient.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/lower_loop.hpp"

namespace moblo {

/// Hypergradients at one iterate, and the Gramian of their rows.
struct Differentiated : Hypergradients {
  Eigen::MatrixXd gramian;
};

/// The two ends that a step of MOML and one of MoCo have in common; between them lies what tells them apart.
class HypergradientStep {
 public:
  explicit HypergradientStep(const HypergradientOptions& options) : options_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) { lower_loop_.start(options_, problem, objectives); }

  /// Rows dF_i/dalpha of `matrix`; refuses what is not finite; fills the record with what was measured.
  Differentiated differentiate(const StepContext& context, GradientMatrix& matrix, StepRecord& record) const;

  /// The step of omega, at the alpha that has just moved. A gradient that is not finite here is not refused, for alpha
  /// has moved: the next evaluation is not finite either, and the loop takes the whole step back.
  void move_omega(const StepContext& context, const Hypergradients& at) const;

  /// The trajectory, w_T, an adjoint an objective and its change.
  Held holds(std::int64_t objectives) const {
    return {.omegas = most_iterates(solve()) + lower_loop_.omegas_held() + objectives + 1, .passes = 3};
  }

  std::int64_t objectives() const { return lower_loop_.objectives(); }
  void save(Snapshot& to) const { lower_loop_.save(to); }
  void restore(const Snapshot& from) { lower_loop_.restore(from); }

 private:
  HypergradientSolve solve() const;

  HypergradientOptions options_;
  LowerLoop lower_loop_;
};

}  // namespace moblo
