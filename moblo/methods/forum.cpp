#include "moblo/methods/forum.hpp"

#include <cmath>

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
  lower_loop_.start(options_, problem, objectives);
  weighting_.start(objectives);
}

double Forum::beta(BilevelProblem& problem, std::int64_t k) const {
  const std::int64_t count =
      options_.beta_clock == BetaClock::iteration ? k : k / problem.upper_batches().epoch_length();
  return options_.beta_scale * std::pow(static_cast<double>(count + 1), -options_.beta_exponent);
}

StepRecord Forum::step(const StepContext& context) {
  auto& problem = context.problem;
  const SlicesOpen slices(problem.upper());
  const std::int64_t objectives = lower_loop_.objectives();
  const ValueGap gap = value_function_gradient(problem, lower_loop_.solve(), objectives, matrix_, context.timer);
  auto& upper_batches = options_.upper_data == UpperData::upper ? problem.upper_batches() : problem.lower_batches();
  const auto losses = upper_jacobian(problem, upper_batches.next(), matrix_);
  if (!options_.upper_alpha_gradient) {
    for (std::int64_t i = 0; i < objectives; ++i) matrix_.upper_part(i).zero_();
  }
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, gap.lower_loss, gap.reached_loss, gramian);
  const ForumWeights weights = weighting_.weigh(gramian, beta(problem, context.k));

  StepRecord record;
  record.k = context.k;
  record.losses = losses;
  record.lower_loss = gap.lower_loss;
  record.q = gap.q();
  record.weights.assign(weights.smoothed.begin(), weights.smoothed.end());
  record.solved_weights.assign(weights.solved.begin(), weights.solved.end());
  record.nu = weights.nu;
  record.qp_status = qp::describe(weights.status);
  record.qp_residual = weights.residual;
  describe_gradients(gramian, objectives, record);
  const auto direction = descent_direction(matrix_, weights.coefficients, record);
  context.timer.lap("aggregation");

  update_both(context, matrix_, direction);
  return record;
}

Snapshot Forum::save() const {
  Snapshot state;
  lower_loop_.save(state);
  state.values["weighting"] = weighting_.save();
  return state;
}

void Forum::restore(const Snapshot& state) {
  lower_loop_.restore(state);
  weighting_.restore(state.values.at("weighting"));
}

std::unique_ptr<Method> make_forum(const Json& options) {
  ForumOptions read;
  ForumOptions::table().read(options, read, {});
  return std::make_unique<Forum>(read);
}

}  // namespace moblo
