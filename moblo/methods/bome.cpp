#include "moblo/methods/bome.hpp"

#include <algorithm>

#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/lower_loop.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class BomeSteps : public Method {
 public:
  explicit BomeSteps(const BomeOptions& options) : options_(options) {}

  std::string name() const override { return "bome"; }
  MethodTraits traits() const override { return {}; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    lower_loop_.start(options_, problem, objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    move_both(here, context, updater);
  }
  Snapshot save() const override {
    Snapshot state;
    lower_loop_.save(state);
    return state;
  }
  void restore(const Snapshot& state) override { lower_loop_.restore(state); }
  std::optional<Held> holds(std::int64_t) const override { return lower_loop_.held_by_constrained_step(); }

 private:
  double multiplier(const Eigen::MatrixXd& gramian, double q) const;

  BomeOptions options_;
  LowerLoop lower_loop_;
  gradients::GradientMatrix matrix_;  // scratch, not state
};

/// max(c, 0); 0 where grad q vanishes, for then there is nothing to correct.
double BomeSteps::multiplier(const Eigen::MatrixXd& gramian, double q) const {
  const auto objectives = gramian.rows() - 1;
  const double square = gramian(objectives, objectives);
  if (square + options_.q_floor == 0) return 0;
  const double along = gramian.col(objectives).head(objectives).mean();  // <grad F, grad q>
  const double phi = options_.phi_scale * (options_.phi == PhiRule::gradient ? square : q);
  return std::max((phi - along) / (square + options_.q_floor), 0.0);
}

Measurement BomeSteps::measure(const StepContext& context) {
  auto& problem = context.problem;
  const std::int64_t objectives = lower_loop_.objectives();
  const gradients::ValueGap gap =
      gradients::value_function_gradient(problem, lower_loop_.solve(), objectives, matrix_, context.timer);
  const auto losses = gradients::upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  Measurement here;
  here.record = point_record(losses, gap.lower_loss, gap.reached_loss, gramian);
  const double share = 1.0 / static_cast<double>(objectives), c = multiplier(gramian, gap.q());
  Eigen::VectorXd coefficients = Eigen::VectorXd::Constant(objectives + 1, share);
  coefficients(objectives) = c;
  here.record.weights.assign(losses.size(), share);
  here.record.nu = c;
  set_direction(here, matrix_, coefficients);
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<BomeOptions>& BomeOptions::table() {
  static const auto table = [] {
    using O = BomeOptions;
    OptionTable<O> t;
    add_inner_steps(t, 0);
    add_inner_choices(t);
    t.add("phi", &O::phi, "phi = phi_scale |grad q|^2, or phi_scale q");
    t.add("phi_scale", &O::phi_scale, "see phi: how fast the constraint must fall", at_least(0));
    t.add("q_floor", &O::q_floor, "added to |grad q|^2 in the multiplier", at_least(0));
    return t;
  }();
  return table;
}

Bome::Bome(const BomeOptions& options) : BuiltIn(make_checked<BomeSteps>(options, "bome")) {}

MethodInfo bome_info() {
  return make_method_info<Bome, BomeOptions>(
      "bome", "first-order bi-level method for one objective, here the mean of them all",
      "Liu, Ye, Wright, Stone, Liu: BOME! Bilevel Optimization Made Easy, NeurIPS 2022");
}

}  // namespace moblo::methods
