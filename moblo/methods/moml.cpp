#include "moblo/methods/moml.hpp"

#include <fmt/format.h>

#include "moblo/aggregation/forum_weighting.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/preference_options.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/methods/weighting_steps.hpp"

namespace moblo::methods {
namespace {

std::unique_ptr<Weighting> weighting_of(const MomlOptions& options, const OptionPlace& place) {
  const auto& info = find_weighting(options.weighting, place.child("weighting").text());
  return info.make(info.resolve(options.weighting_options, place.child("weighting_options")));
}

/// How fast the mean of the losses in a preference's linear term follows, against the noise of batches.
constexpr double loss_rate = 0.3;

/// Min-norm weights with a preference or limits: FORUM's dual without a constraint.
class PreferredMinNorm : public Weighting {
 public:
  explicit PreferredMinNorm(aggregation::PreferenceOptions preference)
      : weighting_({.rho = 0, .multiplier = qp::Multiplier::exact}, std::move(preference)) {}

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    weighting_.start(tasks);
  }
  TaskWeights weigh(const TaskStep& step) override {
    weighting_.observe(to_vector(step.losses), loss_rate);
    Eigen::MatrixXd with_q = Eigen::MatrixXd::Zero(tasks_ + 1, tasks_ + 1);
    with_q.topLeftCorner(tasks_, tasks_) = step.gramian;
    const auto found = weighting_.weigh(with_q, 1);
    weights_ = found.smoothed;
    return {.shared = found.coefficients.head(tasks_),
            .heads = Eigen::VectorXd::Ones(tasks_),
            .status = std::string(qp::describe(found.status)),
            .residual = found.residual};
  }
  std::string unmet_limits() const { return weighting_.unmet_limits(); }
  /// Of the last step: lambda, without the preference that its rows have.
  const Eigen::VectorXd& weights() const { return weights_; }
  aggregation::WeightingState save() const override { return {weighting_.save(), {}}; }
  void restore(const aggregation::WeightingState& state) override { weighting_.restore(state.values); }

 private:
  aggregation::ForumWeighting weighting_;
  Eigen::VectorXd weights_;  // for the record, not state
};

class MomlSteps : public HypergradientMethod {
 public:
  explicit MomlSteps(const MomlOptions& options)
      : HypergradientMethod(hypergradient_options(options)),
        preference_(preference_fields(options)),
        weighting_(weighting_of(options, {})),
        weighting_name_(options.weighting) {}

  std::string name() const override { return "moml"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override;
  Measurement measure(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override;

 protected:
  void prefer_by_default(std::vector<double> preference) {
    if (preference_.preference.empty()) preference_.preference = std::move(preference);
  }

 private:
  gradients::GradientMatrix& further_samples(const StepContext& context, int samples);
  void alpha_moved(const StepContext& context) override;

  PreferenceFields preference_;
  std::unique_ptr<Weighting> weighting_;
  PreferredMinNorm* preferred_ = nullptr;  // weighting_, where there is a preference or a limit
  std::string weighting_name_;
  gradients::GradientMatrix stacked_;  // scratch: rows of all samples, where a weighting asks for several
};

/// What a weighting keeps for each entry, or compares between batches, needs the same columns each time.
void MomlSteps::start(BilevelProblem& problem, std::int64_t objectives) {
  const auto needs = weighting_->needs();
  if (problem.upper().has_rows() && (needs.remembers || needs.samples > 1)) {
    throw Error(ErrorKind::problem, fmt::format("moml with weighting = \"{}\"", weighting_name_),
                needs.remembers ? "remembers one value per entry of a gradient, and alpha has one row per sample"
                                : "takes several batches per step, and alpha has one row per sample",
                "Choose another weighting; `moblo list weightings` shows them");
  }
  HypergradientMethod::start(problem, objectives);
  if (has_preference(preference_)) {
    auto preferred = std::make_unique<PreferredMinNorm>(resolved_preference(preference_, problem, objectives, name()));
    preferred_ = preferred.get();
    weighting_ = std::move(preferred);
  }
  weighting_->start(objectives);
}

/// Hypergradients on `samples` batches in all, stacked batch by batch below those that were just found.
gradients::GradientMatrix& MomlSteps::further_samples(const StepContext& context, int samples) {
  const std::int64_t m = objectives(), columns = matrix().columns();
  stacked_.reset(samples * m, columns, 0, matrix().row(0).options());
  for (int sample = 0; sample < samples; ++sample) {
    StepRecord of_sample;
    if (sample > 0) differentiate(context, of_sample);
    for (std::int64_t i = 0; i < m; ++i) stacked_.row(sample * m + i).copy_(matrix().row(i));
  }
  return stacked_;
}

Measurement MomlSteps::measure(const StepContext& context) {
  Measurement here;
  TaskStep seen{.k = context.k,
                .epoch_length = context.problem.upper_batches().epoch_length(),
                .losses = {},
                .gramian = differentiate(context, here.record)};
  seen.losses = Eigen::Map<const Eigen::VectorXd>(here.record.losses.data(), objectives());
  const int samples = weighting_->needs().samples;
  auto& rows = samples > 1 ? further_samples(context, samples) : matrix();
  if (samples > 1) seen.gramian = rows.gramian();
  rewrite_rows(*weighting_, seen, rows, rows.columns());
  const TaskWeights weights = weighting_->weigh(seen);
  here.record.weights = here.record.solved_weights =
      to_vector(preferred_ != nullptr ? preferred_->weights() : weights.shared);
  if (preferred_ != nullptr) here.unmet_limits = preferred_->unmet_limits();
  here.record.qp_status = weights.status;
  here.record.qp_residual = weights.residual;
  set_direction(here, rows, weights.shared);
  context.timer.lap("aggregation");
  return here;
}

void MomlSteps::alpha_moved(const StepContext& context) {
  if (weighting_->needs().losses_after) weighting_->observe_after(losses_again(context));
}

std::optional<Held> MomlSteps::holds(std::int64_t objectives) const {
  auto held = HypergradientMethod::holds(objectives);
  const auto needs = weighting_->needs();
  if (needs.samples > 1) held->alphas += needs.samples * objectives;
  return held;
}

Snapshot MomlSteps::save() const {
  Snapshot state = HypergradientMethod::save();
  save_weighting(*weighting_, state);
  return state;
}

void MomlSteps::restore(const Snapshot& state) {
  HypergradientMethod::restore(state);
  if (state.values.contains("weighting")) return restore_weighting(state, *weighting_);
  weighting_->restore({{{"free_set", state.values.at("free_set")}}, {}});  // of versions without the option
}

class WcMhgdSteps : public MomlSteps {
 public:
  using MomlSteps::MomlSteps;

  std::string name() const override { return "wc_mhgd"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    prefer_by_default(std::vector<double>(static_cast<std::size_t>(objectives), 1.0));
    MomlSteps::start(problem, objectives);
  }
};

}  // namespace

void MomlOptions::refuse_contradictions(const OptionPlace& place) const {
  refuse_no_steps(*this, place);
  weighting_of(*this, place);
  if (has_preference(*this) && weighting != "mgda") {
    throw Error(ErrorKind::config, fmt::format("{} = \"{}\"", place.child("weighting").text(), weighting),
                "does not know a preference or limits", "Leave `weighting` out, or leave them out");
  }
}

const OptionTable<MomlOptions>& MomlOptions::table() {
  static const auto table = [] {
    OptionTable<MomlOptions> t;
    add_hypergradient_fields(t);
    t.add("weighting", &MomlOptions::weighting, "how the hypergradients are combined; `moblo list weightings`");
    t.add("weighting_options", &MomlOptions::weighting_options, "options of that weighting");
    add_preference_fields(t);
    return t;
  }();
  return table;
}

Moml::Moml(const MomlOptions& options) : BuiltIn(make_checked<MomlSteps>(options, "moml")) {}

WcMhgd::WcMhgd(const MomlOptions& options) : BuiltIn(make_checked<WcMhgdSteps>(options, "wc_mhgd")) {}

MethodInfo wc_mhgd_info() {
  return make_method_info<WcMhgd, MomlOptions>(
      "wc_mhgd", "MOML with a preference: the weighted Chebyshev merit of the objectives, on hypergradients",
      "Weighted-Chebyshev multi-objective hypergradient descent, 2025");
}

MethodInfo moml_info() {
  return make_method_info<Moml, MomlOptions>(
      "moml", "min-norm weights, or any weighting, on hypergradients through the lower loop",
      "Ye, Lin, Yue, Guo, Xiao, Zhang: Multi-Objective Meta Learning, NeurIPS 2021");
}

}  // namespace moblo::methods
