#pragma once

#include <Eigen/Core>

#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/gradients/hypergradient.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/lower_loop.hpp"

namespace moblo::methods {

/// What MOML, MoCo and Auto-Lambda have in common: hypergradients at z_k, a step of alpha along a combination of them,
/// and the step of omega. How the rows are combined, measure(), tells them apart.
class HypergradientMethod : public Method {
 public:
  explicit HypergradientMethod(const HypergradientOptions& options) : options_(options) {}

  MethodTraits traits() const override { return options_.traits(); }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    lower_loop_.start(options_, problem, objectives);
  }
  /// The step of omega takes place at the alpha that has just moved. A gradient that is not finite there is not
  /// refused, for alpha has moved: the next evaluation is not finite either, and the loop takes the whole step back.
  void move(const Measurement& here, const StepContext& context, Updater& updater) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override { lower_loop_.restore(state); }
  /// The trajectory, w_T, one adjoint per objective and its change.
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = gradients::most_iterates(solve()) + lower_loop_.omegas_held() + objectives + 1, .passes = 3};
  }

 protected:
  /// Writes dF_i/dalpha into the rows of matrix() and what was measured into the record. Returns the Gramian of the
  /// rows. Throws NotFinite.
  Eigen::MatrixXd differentiate(const StepContext& context, StepRecord& record);
  /// F_i(alpha, w_T(alpha)) on the batches of the last differentiate(), at the alpha and omega of now.
  Eigen::VectorXd losses_again(const StepContext& context) const;
  /// Between the step of alpha and that of omega.
  virtual void alpha_moved(const StepContext&) {}
  gradients::GradientMatrix& matrix() { return matrix_; }
  std::int64_t objectives() const { return lower_loop_.objectives(); }

 private:
  gradients::HypergradientSolve solve() const;

  HypergradientOptions options_;
  LowerLoop lower_loop_;
  // scratch, not state
  gradients::GradientMatrix matrix_;
  gradients::Hypergradients found_;
  std::int64_t first_lower_batch_ = 0;
};

}  // namespace moblo::methods
