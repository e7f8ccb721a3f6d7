#include "moblo/methods/wc_penalty.hpp"

#include "moblo/gradients/stationarity.hpp"
#include "moblo/methods/ascent_weights.hpp"
#include "moblo/methods/penalty_options.hpp"
#include "moblo/methods/preference_options.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

class WcPenaltySteps : public Method {
 public:
  explicit WcPenaltySteps(const WcPenaltyOptions& options)
      : options_(options), ascent_(options.gamma, options.gamma_exponent) {}

  std::string name() const override { return "wc_penalty"; }
  MethodTraits traits() const override { return {.first_order = false}; }
  void start(BilevelProblem& problem, std::int64_t objectives) override;
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    move_both(here, context, updater);
  }
  Snapshot save() const override {
    Snapshot state;
    state.values["objectives"] = objectives_;
    ascent_.save(state);
    return state;
  }
  void restore(const Snapshot& state) override {
    refuse_other_objectives(state, objectives_);
    ascent_.restore(state);
  }
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = objectives + 3, .passes = 3};  // m + 1 rows, a direction, grad_w f
  }

 private:
  WcPenaltyOptions options_;
  AscentWeights ascent_;
  std::int64_t objectives_ = 0;
  Eigen::VectorXd preference_;        // r, of sum 1
  gradients::GradientMatrix matrix_;  // scratch, not state
};

void WcPenaltySteps::start(BilevelProblem& problem, std::int64_t objectives) {
  PreferenceFields fields;
  fields.preference = options_.preference;
  preference_ = resolved_preference(fields, problem, objectives, name()).preference;
  if (preference_.size() == 0) preference_ = Eigen::VectorXd::Ones(objectives);
  preference_ /= preference_.maxCoeff();  // their sum might overflow
  preference_ /= preference_.sum();
  objectives_ = objectives;
  ascent_.start(objectives);
}

Measurement WcPenaltySteps::measure(const StepContext& context) {
  const GrowingPenalty penalty = growing_penalty(options_);
  const gradients::Stationarity found = gradients::penalty_rows(context.problem, objectives_, matrix_, context.timer);
  const Eigen::MatrixXd gramian = matrix_.gramian();
  Measurement here;
  here.record = point_record(found.losses, found.lower_loss, found.lower_loss, gramian);
  here.record.q = squared_length(found.slope) / 2;
  const Eigen::VectorXd losses = Eigen::Map<const Eigen::VectorXd>(found.losses.data(), objectives_);
  const Eigen::VectorXd weights = ascent_.step(preference_.cwiseProduct(losses), context.k, here.record);
  here.record.nu = penalty.at(context.k);
  Eigen::VectorXd coefficients(objectives_ + 1);
  coefficients << weights.cwiseProduct(preference_), here.record.nu;
  set_direction(here, matrix_, coefficients);
  matrix_.combined().mul_(penalty.shrink(context.k));  // both directions
  context.timer.lap("aggregation");
  return here;
}

}  // namespace

const OptionTable<WcPenaltyOptions>& WcPenaltyOptions::table() {
  static const auto table = [] {
    using O = WcPenaltyOptions;
    OptionTable<O> t;
    t.add("preference", &O::preference,
          "r, one positive number per objective: max_i r_i F_i is minimised; larger = matters more; empty = equal",
          above(0));
    add_penalty_fields(t, "v_0, weight of |grad_w f|^2 / 2");
    add_ascent_fields(t);
    return t;
  }();
  return table;
}

WcPenalty::WcPenalty(const WcPenaltyOptions& options) : BuiltIn(make_checked<WcPenaltySteps>(options, "wc_penalty")) {}

MethodInfo wc_penalty_info() {
  return make_method_info<WcPenalty, WcPenaltyOptions>(
      "wc_penalty", "weighted Chebyshev with a penalty on the lower gradient, for lower losses that are just convex",
      "after WC-Penalty, ICML 2026, of which only the abstract was at hand: docs/decisions/0051");
}

}  // namespace moblo::methods
