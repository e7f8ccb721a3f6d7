#include "moblo/methods/moco.hpp"

#include <cmath>

#include "moblo/aggregation/moco_weighting.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/preference_options.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/methods/tracker.hpp"

namespace moblo::methods {
namespace {

double falling(double scale, double exponent, std::int64_t k) {
  return scale * std::pow(static_cast<double>(k + 1), -exponent);
}

/// h_i <- F_i h_i / |h_i|, as the released library does.
void scale_by_loss(gradients::GradientMatrix& matrix, const std::vector<double>& losses,
                   const Eigen::MatrixXd& gramian) {
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    matrix.row(i).mul_(losses[static_cast<std::size_t>(i)] / (std::sqrt(gramian(i, i)) + 1e-8));
  }
}

class MocoSteps : public HypergradientMethod {
 public:
  explicit MocoSteps(const MocoOptions& options)
      : HypergradientMethod(hypergradient_options(options)),
        options_(options),
        weighting_(options.rho, *options.projection) {}

  std::string name() const override { return "moco"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    HypergradientMethod::start(problem, objectives);
    weighting_ =
        aggregation::MocoWeighting(options_.rho, *options_.projection,
                                   resolved_preference(preference_fields(options_), problem, objectives, "moco"));
    weighting_.start(objectives);
    tracker_.start(problem.upper(), objectives);
  }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    tracker_.store(matrix(), context.problem.upper());
    HypergradientMethod::move(here, context, updater);
  }
  std::optional<Held> holds(std::int64_t objectives) const override {
    auto held = HypergradientMethod::holds(objectives);
    held->alphas = objectives;  // the tracked gradients
    return held;
  }
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  void take_over(const Snapshot& ended) override { weighting_.take_over(ended.values.at("weights")); }
  Snapshot before_step() const override;
  void undo_step(const Snapshot& before) override;

 private:
  MocoOptions options_;
  aggregation::MocoWeighting weighting_;
  GradientTracker tracker_;
};

Measurement MocoSteps::measure(const StepContext& context) {
  Measurement here;
  const Eigen::MatrixXd gramian = differentiate(context, here.record);
  if (options_.gradient_scale == GradientScale::loss) scale_by_loss(matrix(), here.record.losses, gramian);
  const double beta = falling(options_.beta, options_.beta_exponent, context.k);
  weighting_.observe(here.record.losses, beta);
  here.unmet_limits = weighting_.unmet_limits();
  tracker_.track(matrix(), context.problem.upper(), beta);
  const Eigen::MatrixXd tracked = matrix().gramian();
  if (!tracked.allFinite()) throw NotFinite("the tracked gradients");
  const auto weights = weighting_.weigh(tracked, falling(options_.gamma, options_.gamma_exponent, context.k));
  here.record.weights = to_vector(weights.weights);
  set_direction(here, matrix(), weights.coefficients);
  context.timer.lap("aggregation");
  return here;
}

Snapshot MocoSteps::before_step() const {
  Snapshot state = HypergradientMethod::save();
  tracker_.save_dense(state);
  state.values["weights"] = weighting_.save();
  return state;
}

void MocoSteps::undo_step(const Snapshot& before) {
  HypergradientMethod::restore(before);
  tracker_.undo_store(before);
  weighting_.restore(before.values.at("weights"));
}

Snapshot MocoSteps::save() const {
  Snapshot state = before_step();
  tracker_.save(state);
  return state;
}

void MocoSteps::restore(const Snapshot& state) {
  HypergradientMethod::restore(state);
  tracker_.restore(state);
  weighting_.restore(state.values.at("weights"));
}

}  // namespace

void MocoOptions::apply_profile() {
  apply_default_omega_step(*this);
  projection = projection.value_or(has_preference(*this) ? SimplexProjection::simplex : SimplexProjection::softmax);
}

const OptionTable<MocoOptions>& MocoOptions::table() {
  static const auto table = [] {
    using O = MocoOptions;
    OptionTable<O> t;
    add_hypergradient_fields(t);
    t.add("beta", &O::beta, "beta_k = beta (k+1)^-beta_exponent, how fast the tracker follows", {0, 1, true, false});
    t.add("beta_exponent", &O::beta_exponent, "see beta; 0 = constant", within(0, 1));
    t.add("gamma", &O::gamma, "gamma_k = gamma (k+1)^-gamma_exponent, step size of the weights", at_least(0));
    t.add("gamma_exponent", &O::gamma_exponent, "see gamma; 0 = constant", within(0, 1));
    t.add("rho", &O::rho, "rho, regularises the weights", at_least(0));
    t.add("projection", &O::projection,
          "how the weights return to the simplex: softmax, or the nearest point; simplex with a preference");
    t.add("gradient_scale", &O::gradient_scale, "hypergradients as they are, or of unit length times their loss");
    add_preference_fields(t);
    return t;
  }();
  return table;
}

Moco::Moco(const MocoOptions& options) : BuiltIn(make_checked<MocoSteps>(options, "moco")) {}

MethodInfo moco_info() {
  return make_method_info<Moco, MocoOptions>(
      "moco", "tracked hypergradients and slowly moving weights, against the bias of stochastic gradients",
      "Fernando, Shen, Liu, Chaudhury, Murugesan, Chen: Mitigating Gradient Bias in Multi-objective Learning, ICLR "
      "2023");
}

}  // namespace moblo::methods
