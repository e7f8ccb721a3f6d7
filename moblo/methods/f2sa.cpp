#include "moblo/methods/f2sa.hpp"

#include "moblo/gradients/penalised_states.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/lower_states.hpp"
#include "moblo/methods/min_norm_weights.hpp"
#include "moblo/methods/penalty_options.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class F2saSteps : public Method {
 public:
  explicit F2saSteps(const F2saOptions& options) : options_(options) {}

  std::string name() const override { return "f2sa"; }
  MethodTraits traits() const override { return {}; }
  /// y_i = omega_0.
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    states_.start(problem, objectives, name(), problem.lower().values().repeat({objectives, 1}));
    min_norm_.start(objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    updater.update_upper(here.upper_direction);
    updater.replace_lower(found_.model);
    states_.replace(found_.states);
    found_ = {};
    context.timer.lap("update");
  }
  Snapshot save() const override {
    Snapshot state;
    states_.save(state);
    min_norm_.save(state);
    return state;
  }
  void restore(const Snapshot& state) override {
    states_.restore(state);
    min_norm_.restore(state);
  }
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = LowerStates::held(objectives) + 2};  // z and a gradient
  }

 private:
  F2saOptions options_;
  LowerStates states_;  // y_i
  MinNormWeights min_norm_;
  // scratch, not state
  gradients::GradientMatrix matrix_;
  gradients::PenalisedStates found_;
};

Measurement F2saSteps::measure(const StepContext& context) {
  const GrowingPenalty penalty = growing_penalty(options_);
  const gradients::PenalisedSolve solve{.steps = options_.inner_steps,
                                        .step_size = options_.inner_step_size,
                                        .fresh_batches = options_.inner_batches == InnerBatches::fresh,
                                        .penalty = penalty.at(context.k)};
  found_ = gradients::penalised_gradients(context.problem, solve, states_.values(), matrix_, context.timer);
  const Eigen::MatrixXd gramian = matrix_.gramian();
  Measurement here;
  here.record = point_record(found_.losses, found_.lower_loss, found_.reached_loss, gramian);
  const Eigen::VectorXd weights = min_norm_.weigh(gramian, here.record);
  here.record.nu = solve.penalty;
  set_direction(here, matrix_, weights);
  here.record.kkt += weights.dot(Eigen::Map<const Eigen::VectorXd>(found_.residuals.data(), weights.size()));
  if (!std::isfinite(here.record.kkt)) throw NotFinite("the gradient of f + F_i / s by the lower states");
  here.upper_direction.mul_(penalty.shrink(context.k));
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<F2saOptions>& F2saOptions::table() {
  static const auto table = [] {
    using O = F2saOptions;
    OptionTable<O> t;
    add_inner_steps(t, 1);
    t.add("inner_batches", &O::inner_batches, "new batches each lower step, or the same for all of them");
    add_penalty_fields(t, "s_0, weight of f against F_i in the lower states; the bias of the gradients is O(1/s)");
    return t;
  }();
  return table;
}

F2sa::F2sa(const F2saOptions& options) : BuiltIn(make_checked<F2saSteps>(options, "f2sa")) {}

MethodInfo f2sa_info() {
  return make_method_info<F2sa, F2saOptions>(
      "f2sa", "first-order penalty method with one lower state per objective, min-norm weights",
      "Kwon, Kwon, Wright, Nowak: A Fully First-Order Method for Stochastic Bilevel Optimization, ICML 2023, here for "
      "several objectives");
}

}  // namespace moblo::methods
