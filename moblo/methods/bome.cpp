#include "moblo/methods/bome.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/gradients/value_function.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {

void Bome::start(BilevelProblem& problem, std::int64_t objectives) {
  objectives_ = objectives;
  if (options_.inner_start == InnerStart::initial) initial_omega_ = problem.lower().values().clone();
}

/// max(c, 0); 0 where grad q vanishes, for then there is nothing to correct.
double Bome::multiplier(const Eigen::MatrixXd& gramian, double q) const {
  const double square = gramian(objectives_, objectives_);
  if (square + options_.q_floor == 0) return 0;
  const double along = gramian.col(objectives_).head(objectives_).mean();  // <grad F, grad q>
  const double phi = options_.phi_scale * (options_.phi == PhiRule::gradient ? square : q);
  return std::max((phi - along) / (square + options_.q_floor), 0.0);
}

StepRecord Bome::step(const StepContext& context) {
  auto& problem = context.problem;
  const SlicesOpen slices(problem.upper());
  InnerSolve inner;
  inner.steps = options_.inner_steps;
  inner.step_size = options_.inner_step_size;
  inner.fresh_batches = options_.inner_batches == InnerBatches::fresh;
  inner.from_current = options_.inner_start == InnerStart::current;
  inner.start = initial_omega_;
  const ValueGap gap = value_function_gradient(problem, inner, objectives_, matrix_, context.timer);
  const auto losses = upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  context.timer.lap("upper gradients");

  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, gap.lower_loss, gap.reached_loss, gramian);
  const double share = 1.0 / static_cast<double>(objectives_), c = multiplier(gramian, gap.q());
  Eigen::VectorXd coefficients = Eigen::VectorXd::Constant(objectives_ + 1, share);
  coefficients(objectives_) = c;
  const auto direction = matrix_.combine(-coefficients);

  StepRecord record;
  record.k = context.k;
  record.losses = losses;
  record.lower_loss = gap.lower_loss;
  record.q = gap.q();
  record.kkt = torch::dot(direction, direction).item().toDouble();
  record.weights.assign(static_cast<std::size_t>(objectives_), share);
  record.nu = c;
  describe_gradients(gramian, objectives_, record);
  if (!std::isfinite(record.kkt)) throw NotFinite("the update direction");
  context.timer.lap("aggregation");

  const std::int64_t upper = matrix_.upper_columns();
  context.updater.update_upper(direction.narrow(0, 0, upper));
  context.updater.update_lower(direction.narrow(0, upper, direction.numel() - upper));
  context.timer.lap("update");
  return record;
}

Snapshot Bome::save() const {
  Snapshot state;
  state.values["objectives"] = objectives_;
  if (initial_omega_.defined()) state.tensors["initial_omega"] = initial_omega_;
  return state;
}

void Bome::restore(const Snapshot& state) {
  objectives_ = state.values.at("objectives").get<std::int64_t>();
  const auto initial = state.tensors.find("initial_omega");
  if (initial != state.tensors.end()) initial_omega_ = initial->second;
}

std::unique_ptr<Method> make_bome(const Json& options) {
  BomeOptions read;
  BomeOptions::table().read(options, read, {});
  return std::make_unique<Bome>(read);
}

}  // namespace moblo
