#include "moblo/methods/forum_single.hpp"

#include <cmath>

#include "moblo/aggregation/forum_weighting.hpp"
#include "moblo/gradients/value_function.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/lower_states.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

aggregation::ForumWeightingOptions weighting_of(const ForumSingleOptions& options) {
  aggregation::ForumWeightingOptions weighting;
  weighting.rho = options.rho;
  weighting.multiplier = options.multiplier == ForumMultiplier::paper ? qp::Multiplier::paper : qp::Multiplier::exact;
  weighting.unit_length = options.upper_gradients == UpperGradients::unit;
  return weighting;
}

class ForumSingleSteps : public Method {
 public:
  explicit ForumSingleSteps(const ForumSingleOptions& options) : options_(options), weighting_(weighting_of(options)) {}

  std::string name() const override { return "forum_single"; }
  MethodTraits traits() const override { return {}; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    state_.start(problem, objectives, name(), problem.lower().values());
    weighting_.start(objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    move_both(here, context, updater);
    state_.replace(next_);
    next_ = torch::Tensor();
  }
  Snapshot save() const override {
    Snapshot state;
    state_.save(state);
    state.values["weighting"] = weighting_.save();
    return state;
  }
  void restore(const Snapshot& state) override {
    state_.restore(state);
    weighting_.restore(state.values.at("weighting"));
  }
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = LowerStates::held(1) + objectives + 3};  // m + 1 rows, a direction, grad_w f(alpha, w~)
  }

 private:
  /// At k = 0 there is nothing else to start from.
  bool recentres(std::int64_t k) const {
    return k == 0 || (options_.recentre_every > 0 && k % options_.recentre_every == 0);
  }

  ForumSingleOptions options_;
  aggregation::ForumWeighting weighting_;
  LowerStates state_;  // w~
  // scratch, not state
  gradients::GradientMatrix matrix_;
  torch::Tensor next_;
};

Measurement ForumSingleSteps::measure(const StepContext& context) {
  auto& problem = context.problem;
  const std::int64_t m = state_.objectives();
  const auto kept = recentres(context.k) ? torch::Tensor() : state_.values();
  const gradients::CarriedGap gap =
      gradients::carried_gap(problem, kept, options_.inner_step_size, m, matrix_, context.timer);
  const auto losses = gradients::upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  Measurement here;
  here.record = point_record(losses, gap.lower_loss, gap.reached_loss, gramian);
  if (!std::isfinite(options_.rho * gramian(m, m))) throw NotFinite("phi = rho/2 |grad q|^2");
  const double beta = std::pow(static_cast<double>(context.k + 1), -options_.beta_exponent);
  const aggregation::ForumWeights weights = weighting_.weigh(gramian, beta);
  here.record.weights = to_vector(weights.smoothed);
  here.record.solved_weights = to_vector(weights.solved);
  here.record.nu = weights.nu;
  here.record.qp_status = qp::describe(weights.status);
  here.record.qp_residual = weights.residual;
  set_direction(here, matrix_, weights.coefficients);
  next_ = gap.next;
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<ForumSingleOptions>& ForumSingleOptions::table() {
  static const auto table = [] {
    using O = ForumSingleOptions;
    OptionTable<O> t;
    t.add("inner_step_size", &O::inner_step_size, "eta, step size of w~", above(0));
    t.add("recentre_every", &O::recentre_every,
          "iterations after which w~ is set to omega's lower step again; 0 = never", within(0, 1e9));
    t.add("rho", &O::rho, "phi = rho/2 |grad q|^2, how fast the constraint must fall", within(0, 1e6));
    t.add("beta_exponent", &O::beta_exponent, "beta_k = (k+1)^-beta_exponent smooths the weights", within(0, 1));
    t.add("multiplier", &O::multiplier, "nu with 2 phi (paper) or with phi (the exact minimiser)");
    t.add("upper_gradients", &O::upper_gradients, "grad F_i as it is, or scaled to unit length");
    return t;
  }();
  return table;
}

ForumSingle::ForumSingle(const ForumSingleOptions& options)
    : BuiltIn(make_checked<ForumSingleSteps>(options, "forum_single")) {}

MethodInfo forum_single_info() {
  return make_method_info<ForumSingle, ForumSingleOptions>(
      "forum_single", "FORUM with one lower step an iteration: its lower state is carried on instead of solved anew",
      "after Ye, Lin, Cao, Zhang, Tsang: A First-Order Multi-Gradient Algorithm for Multi-Objective Bi-Level "
      "Optimization, ECAI 2024");
}

}  // namespace moblo::methods
