#include "moblo/methods/moco.hpp"

#include <cmath>

#include "moblo/methods/diagnostics.hpp"

namespace moblo {
namespace {

double falling(double scale, double exponent, std::int64_t k) {
  return scale * std::pow(static_cast<double>(k + 1), -exponent);
}

/// h_i <- F_i h_i / |h_i|, as the released library does.
void scale_by_loss(GradientMatrix& matrix, const Differentiated& found) {
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    matrix.row(i).mul_(found.losses[static_cast<std::size_t>(i)] / (std::sqrt(found.gramian(i, i)) + 1e-8));
  }
}

}  // namespace

void Moco::start(BilevelProblem& problem, std::int64_t objectives) {
  step_.start(problem, objectives);
  weighting_.start(objectives);
  tracker_.start(problem.upper(), objectives);
}

StepRecord Moco::step(const StepContext& context) {
  auto& upper = context.problem.upper();
  const SlicesOpen slices(upper);
  StepRecord record;
  const auto found = step_.differentiate(context, matrix_, record);

  if (options_.gradient_scale == GradientScale::loss) scale_by_loss(matrix_, found);
  tracker_.track(matrix_, upper, falling(options_.beta, options_.beta_exponent, context.k));
  const Eigen::MatrixXd tracked = matrix_.gramian();
  if (!tracked.allFinite()) throw NotFinite("the tracked gradients");
  const Eigen::VectorXd weights =
      weighting_.weigh(tracked, falling(options_.gamma, options_.gamma_exponent, context.k));
  record.weights.assign(weights.begin(), weights.end());
  const auto direction = descent_direction(matrix_, weights, record);
  tracker_.store(matrix_, upper);
  context.timer.lap("aggregation");

  context.updater.update_upper(direction);
  step_.move_omega(context, found);
  return record;
}

Snapshot Moco::before_step() const {
  Snapshot state;
  step_.save(state);
  tracker_.save_dense(state);
  state.values["weights"] = weighting_.save();
  return state;
}

void Moco::undo_step(const Snapshot& before) {
  step_.restore(before);
  tracker_.undo_store(before);
  weighting_.restore(before.values.at("weights"));
}

Snapshot Moco::save() const {
  Snapshot state = before_step();
  tracker_.save(state);
  return state;
}

void Moco::restore(const Snapshot& state) {
  step_.restore(state);
  tracker_.restore(state);
  weighting_.restore(state.values.at("weights"));
}

std::unique_ptr<Method> make_moco(const Json& options) {
  MocoOptions read;
  MocoOptions::table().read(options, read, {});
  return std::make_unique<Moco>(read);
}

}  // namespace moblo
