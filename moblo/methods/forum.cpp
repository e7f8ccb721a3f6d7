#include "moblo/methods/forum.hpp"

#include <cmath>
#include <limits>

#include "moblo/gradients/value_function.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {
namespace {

ForumWeightingOptions weighting_options(const ForumOptions& options) {
  return {.rho = options.rho,
          .multiplier = options.multiplier == ForumMultiplier::paper ? qp::Multiplier::paper : qp::Multiplier::exact,
          .q_floor = options.q_floor,
          .unit_length = options.upper_gradients == UpperGradients::unit};
}

}  // namespace

Forum::Forum(const ForumOptions& options) : options_(options), weighting_(weighting_options(options)) {}

void Forum::start(BilevelProblem& problem, std::int64_t objectives) {
  objectives_ = objectives;
  weighting_.start(objectives);
  if (options_.inner_start == InnerStart::initial) initial_omega_ = problem.lower().values().clone();
}

double Forum::beta(BilevelProblem& problem, std::int64_t k) const {
  const std::int64_t count =
      options_.beta_clock == BetaClock::iteration ? k : k / problem.upper_batches().epoch_length();
  return options_.beta_scale * std::pow(static_cast<double>(count + 1), -options_.beta_exponent);
}

StepRecord Forum::step(const StepContext& context) {
  auto& problem = context.problem;
  const SlicesOpen slices(problem.upper());
  const InnerSolve inner{
      .steps = options_.inner_steps,
      .step_size = options_.inner_step_size,
      .fresh_batches = options_.inner_batches == InnerBatches::fresh,
      .loss_limit = options_.inner_loss_limit > 0 ? options_.inner_loss_limit : std::numeric_limits<double>::infinity(),
      .from_current = options_.inner_start == InnerStart::current,
      .start = initial_omega_};
  const ValueGap gap = value_function_gradient(problem, inner, objectives_, matrix_, context.timer);
  auto& upper_batches = options_.upper_data == UpperData::upper ? problem.upper_batches() : problem.lower_batches();
  const auto losses = upper_jacobian(problem, upper_batches.next(), matrix_);
  if (!options_.upper_alpha_gradient) {
    for (std::int64_t i = 0; i < objectives_; ++i) matrix_.upper_part(i).zero_();
  }
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, gap.lower_loss, gap.reached_loss, gramian);
  const ForumWeights weights = weighting_.weigh(gramian, beta(problem, context.k));
  const auto direction = matrix_.combine(-weights.coefficients);
  context.timer.lap("aggregation");

  StepRecord record;
  record.k = context.k;
  record.losses = losses;
  record.lower_loss = gap.lower_loss;
  record.q = gap.q();
  // From the direction itself: the Gramian's entries cancel near a stationary point.
  record.kkt = torch::dot(direction, direction).item().toDouble();
  record.weights.assign(weights.smoothed.begin(), weights.smoothed.end());
  record.solved_weights.assign(weights.solved.begin(), weights.solved.end());
  record.nu = weights.nu;
  record.qp_status = qp::describe(weights.status);
  record.qp_residual = weights.residual;
  describe_gradients(gramian, objectives_, record);
  if (!std::isfinite(record.kkt)) throw NotFinite("the update direction");

  const std::int64_t upper = matrix_.upper_columns();
  context.updater.update_upper(direction.narrow(0, 0, upper));
  context.updater.update_lower(direction.narrow(0, upper, direction.numel() - upper));
  context.timer.lap("update");
  return record;
}

Snapshot Forum::save() const {
  Snapshot state;
  state.values["objectives"] = objectives_;
  state.values["weighting"] = weighting_.save();
  if (initial_omega_.defined()) state.tensors["initial_omega"] = initial_omega_;
  return state;
}

void Forum::restore(const Snapshot& state) {
  objectives_ = state.values.at("objectives").get<std::int64_t>();
  weighting_.restore(state.values.at("weighting"));
  const auto initial = state.tensors.find("initial_omega");
  if (initial != state.tensors.end()) initial_omega_ = initial->second;
}

std::unique_ptr<Method> make_forum(const Json& options) {
  ForumOptions read;
  ForumOptions::table().read(options, read, {});
  return std::make_unique<Forum>(read);
}

}  // namespace moblo
