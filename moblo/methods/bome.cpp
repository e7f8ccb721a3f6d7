#include "moblo/methods/bome.hpp"

#include <algorithm>

#include "moblo/methods/diagnostics.hpp"

namespace moblo {

/// max(c, 0); 0 where grad q vanishes, for then there is nothing to correct.
double Bome::multiplier(const Eigen::MatrixXd& gramian, double q) const {
  const auto objectives = gramian.rows() - 1;
  const double square = gramian(objectives, objectives);
  if (square + options_.q_floor == 0) return 0;
  const double along = gramian.col(objectives).head(objectives).mean();  // <grad F, grad q>
  const double phi = options_.phi_scale * (options_.phi == PhiRule::gradient ? square : q);
  return std::max((phi - along) / (square + options_.q_floor), 0.0);
}

StepRecord Bome::step(const StepContext& context) {
  auto& problem = context.problem;
  const SlicesOpen slices(problem.upper());
  const std::int64_t objectives = lower_loop_.objectives();
  const ValueGap gap = value_function_gradient(problem, lower_loop_.solve(), objectives, matrix_, context.timer);
  const auto losses = upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, gap.lower_loss, gap.reached_loss, gramian);
  const double share = 1.0 / static_cast<double>(objectives), c = multiplier(gramian, gap.q());
  Eigen::VectorXd coefficients = Eigen::VectorXd::Constant(objectives + 1, share);
  coefficients(objectives) = c;

  StepRecord record;
  record.k = context.k;
  record.losses = losses;
  record.lower_loss = gap.lower_loss;
  record.q = gap.q();
  record.weights.assign(losses.size(), share);
  record.nu = c;
  describe_gradients(gramian, objectives, record);
  const auto direction = descent_direction(matrix_, coefficients, record);
  context.timer.lap("aggregation");

  update_both(context, matrix_, direction);
  return record;
}

Snapshot Bome::save() const {
  Snapshot state;
  lower_loop_.save(state);
  return state;
}

std::unique_ptr<Method> make_bome(const Json& options) {
  BomeOptions read;
  BomeOptions::table().read(options, read, {});
  return std::make_unique<Bome>(read);
}

}  // namespace moblo
