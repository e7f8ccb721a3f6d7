#include "moblo/methods/gmoba.hpp"

#include "moblo/gradients/stationarity.hpp"
#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/lower_states.hpp"
#include "moblo/methods/min_norm_weights.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class GmobaSteps : public Method {
 public:
  explicit GmobaSteps(const GmobaOptions& options) : options_(options) {}

  std::string name() const override { return "gmoba"; }
  MethodTraits traits() const override { return {.first_order = false, .needs_strongly_convex_lower = true}; }
  /// v_i = 0.
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    systems_.start(problem, objectives, name(),
                   torch::zeros({objectives, problem.lower().dense_size()}, problem.lower().options()));
    min_norm_.start(objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    move_both(here, context, updater);
    systems_.replace(next_);
    next_ = torch::Tensor();
  }
  Snapshot save() const override {
    Snapshot state;
    systems_.save(state);
    min_norm_.save(state);
    return state;
  }
  void restore(const Snapshot& state) override {
    systems_.restore(state);
    min_norm_.restore(state);
  }
  std::optional<Held> holds(std::int64_t objectives) const override {
    // the systems, m + 1 rows, a direction, grad_w f and the point where q is looked at
    return Held{.omegas = LowerStates::held(objectives) + objectives + 4, .passes = 3};
  }

 private:
  torch::Tensor next_systems() const;

  GmobaOptions options_;
  LowerStates systems_;  // v_i
  MinNormWeights min_norm_;
  // scratch, not state
  gradients::GradientMatrix matrix_;
  torch::Tensor next_;
};

torch::Tensor GmobaSteps::next_systems() const {
  auto next = systems_.values().clone();
  for (std::int64_t i = 0; i < next.size(0); ++i) next[i].add_(matrix_.lower_part(i), options_.system_step_size);
  return next;
}

Measurement GmobaSteps::measure(const StepContext& context) {
  auto& problem = context.problem;
  const std::int64_t m = systems_.objectives();
  const gradients::Stationarity found = gradients::lagrangian_rows(problem, systems_.values(), matrix_, context.timer);
  const auto stepped = torch::sub(problem.lower().values(), found.slope, options_.system_step_size);
  const double stepped_loss = gradients::lower_loss_at(problem, stepped, found.lower_batch);

  const Eigen::MatrixXd whole = matrix_.gramian();
  refuse_not_finite(found.losses, found.lower_loss, stepped_loss, whole);
  const Eigen::MatrixXd gramian = matrix_.gramian(matrix_.upper_columns()).topLeftCorner(m, m);
  Measurement here;
  here.record = point_record(found.losses, found.lower_loss, stepped_loss, gramian);
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(m + 1);
  coefficients.head(m) = min_norm_.weigh(gramian, here.record);
  set_direction(here, matrix_, coefficients);  // K: of both levels, the residuals r_i included
  here.lower_direction = -found.slope;
  next_ = next_systems();
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<GmobaOptions>& GmobaOptions::table() {
  static const auto table = [] {
    using O = GmobaOptions;
    OptionTable<O> t;
    t.add("system_step_size", &O::system_step_size, "eta_v, step size of the linear systems (d2f/dw2) v_i = grad_w F_i",
          above(0));
    return t;
  }();
  return table;
}

Gmoba::Gmoba(const GmobaOptions& options) : BuiltIn(make_checked<GmobaSteps>(options, "gmoba")) {}

MethodInfo gmoba_info() {
  return make_method_info<Gmoba, GmobaOptions>(
      "gmoba", "single loop: one step of omega, of each objective's linear system and of alpha, min-norm weights",
      "Yang, Yao, Yin, Zeng, Zhang: Gradient-based Algorithms for Multi-Objective Bi-Level Optimization, 2024; "
      "Dagreou, Ablin, Vaiter, Moreau: A framework for bilevel optimization that enables stochastic and global "
      "variance reduction algorithms, NeurIPS 2022");
}

}  // namespace moblo::methods
