#include "moblo/methods/forum.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/aggregation/forum_weighting.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/lower_loop.hpp"
#include "moblo/methods/preference_options.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

aggregation::ForumWeightingOptions weighting_options(const ForumOptions& options) {
  return {.rho = options.rho,
          .multiplier = options.multiplier == ForumMultiplier::paper ? qp::Multiplier::paper : qp::Multiplier::exact,
          .q_floor = *options.q_floor,
          .unit_length = options.upper_gradients == UpperGradients::unit};
}

class ForumSteps : public Method {
 public:
  /// Options completed by the profile.
  explicit ForumSteps(const ForumOptions& options) : options_(options), weighting_(weighting_options(options)) {}

  std::string name() const override { return "forum"; }
  MethodTraits traits() const override {
    return {.needs_interchangeable_batches = options_.upper_data == UpperData::lower};
  }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    lower_loop_.start(options_, problem, objectives);
    weighting_ = aggregation::ForumWeighting(
        weighting_options(options_), resolved_preference(preference_fields(options_), problem, objectives, "forum"));
    weighting_.start(objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    move_both(here, context, updater);
  }
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  void take_over(const Snapshot& ended) override { weighting_.take_over(ended.values.at("weighting")); }
  std::optional<Held> holds(std::int64_t) const override { return lower_loop_.held_by_constrained_step(); }

 private:
  std::int64_t epoch_of(BilevelProblem& problem, std::int64_t k) const;
  double beta(BilevelProblem& problem, std::int64_t k) const;

  ForumOptions options_;
  aggregation::ForumWeighting weighting_;
  LowerLoop lower_loop_;
  gradients::GradientMatrix matrix_;  // scratch, not state
};

/// Of the stream that the upper losses read. Where it is the lower one, the lower loop reads from it too, and an epoch
/// takes as many iterations as all of their batches leave.
std::int64_t ForumSteps::epoch_of(BilevelProblem& problem, std::int64_t k) const {
  if (options_.upper_data == UpperData::upper) return k / problem.upper_batches().epoch_length();
  const bool fresh = options_.inner_batches == InnerBatches::fresh;
  const std::int64_t read = 1 + (fresh ? std::max<std::int64_t>(options_.inner_steps, 1) : 1);
  return k / std::max<std::int64_t>(problem.lower_batches().epoch_length() / read, 1);
}

double ForumSteps::beta(BilevelProblem& problem, std::int64_t k) const {
  const std::int64_t count = options_.beta_clock == BetaClock::iteration ? k : epoch_of(problem, k);
  const double falling = options_.beta_scale * std::pow(static_cast<double>(count + 1), -options_.beta_exponent);
  return std::max(falling, *options_.beta_floor);
}

Measurement ForumSteps::measure(const StepContext& context) {
  auto& problem = context.problem;
  const std::int64_t objectives = lower_loop_.objectives();
  const gradients::ValueGap gap =
      gradients::value_function_gradient(problem, lower_loop_.solve(), objectives, matrix_, context.timer);
  auto& upper_batches = options_.upper_data == UpperData::upper ? problem.upper_batches() : problem.lower_batches();
  const auto losses = gradients::upper_jacobian(problem, upper_batches.next(), matrix_);
  if (!*options_.upper_alpha_gradient) {
    for (std::int64_t i = 0; i < objectives; ++i) matrix_.upper_part(i).zero_();
  }
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  Measurement here;
  here.record = point_record(losses, gap.lower_loss, gap.reached_loss, gramian);
  if (!std::isfinite(options_.rho * gramian(objectives, objectives))) throw NotFinite("phi = rho/2 |grad q|^2");
  const double rate = beta(problem, context.k);
  weighting_.observe(losses, rate);
  here.unmet_limits = weighting_.unmet_limits();
  const aggregation::ForumWeights weights = weighting_.weigh(gramian, rate);
  here.record.weights = to_vector(weights.smoothed);
  here.record.solved_weights = to_vector(weights.solved);
  here.record.nu = weights.nu;
  here.record.qp_status = qp::describe(weights.status);
  here.record.qp_residual = weights.residual;
  set_direction(here, matrix_, weights.coefficients);
  context.timer.lap("aggregation");
  return here;
}

Snapshot ForumSteps::save() const {
  Snapshot state;
  lower_loop_.save(state);
  state.values["weighting"] = weighting_.save();
  return state;
}

void ForumSteps::restore(const Snapshot& state) {
  lower_loop_.restore(state);
  weighting_.restore(state.values.at("weighting"));
}

}  // namespace

void ForumOptions::apply_profile() {
  const bool released = profile == ForumProfile::reference;
  const auto fill = [](auto& field, auto value) { field = field.value_or(value); };
  fill(upper_gradients, released ? UpperGradients::unit : UpperGradients::raw);
  fill(upper_alpha_gradient, !released);
  fill(q_floor, released ? 1e-8 : 0.0);
  fill(beta_clock, released ? BetaClock::epoch : BetaClock::iteration);
  fill(inner_batches, released ? InnerBatches::one : InnerBatches::fresh);
  fill(upper_data, released ? UpperData::lower : UpperData::upper);
  fill(inner_loss_limit, released ? 1e5 : 0.0);
  fill(beta_floor, has_preference(*this) ? 0.3 : 0.0);
}

const OptionTable<ForumOptions>& ForumOptions::table() {
  static const auto table = [] {
    using O = ForumOptions;
    OptionTable<O> t;
    t.add("profile", &O::profile, "paper, or what the authors' released code does; options given beside it win");
    add_inner_steps(t, 0);
    t.add("rho", &O::rho, "phi = rho/2 |grad q|^2, how fast the constraint must fall", within(0, 1e6));
    t.add("beta_exponent", &O::beta_exponent, "beta_k = beta_scale (k+1)^-beta_exponent", within(0, 1));
    t.add("beta_scale", &O::beta_scale, "see beta_exponent; 1 makes the first weights the QP's", {0, 1, true, false});
    t.add("beta_clock", &O::beta_clock,
          "what k counts in beta_k: iterations, or epochs of the stream that the upper losses read");
    add_inner_choices(t);
    t.add("upper_data", &O::upper_data, "which level's batches the upper losses see");
    t.add("upper_gradients", &O::upper_gradients, "grad F_i as it is, or scaled to unit length");
    t.add("upper_alpha_gradient", &O::upper_alpha_gradient, "keep the alpha block of grad F_i, or set it to zero");
    t.add("multiplier", &O::multiplier, "nu with 2 phi (paper) or with phi (the exact minimiser)");
    t.add("q_floor", &O::q_floor, "added to |grad q|^2 in phi and in the multiplier", at_least(0));
    t.add("beta_floor", &O::beta_floor, "beta_k stays above it; 0, or 0.3 with a preference or limits", within(0, 1));
    t.add("inner_loss_limit", &O::inner_loss_limit, "no lower step where f is above it; 0 = no limit", at_least(0));
    add_preference_fields(t);
    return t;
  }();
  return table;
}

Forum::Forum(const ForumOptions& options) : BuiltIn(make_checked<ForumSteps>(options, "forum")) {}

MethodInfo forum_info() {
  return make_method_info<Forum, ForumOptions>(
      "forum", "first-order multi-gradient method for multi-objective bi-level problems",
      "Ye, Lin, Cao, Zhang, Tsang: A First-Order Multi-Gradient Algorithm for Multi-Objective Bi-Level Optimization, "
      "ECAI 2024");
}

}  // namespace moblo::methods
