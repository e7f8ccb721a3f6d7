#include "moblo/methods/autolambda.hpp"

#include "moblo/methods/diagnostics.hpp"

namespace moblo {

StepRecord Autolambda::step(const StepContext& context) {
  const SlicesOpen slices(context.problem.upper());
  StepRecord record;
  const auto found = step_.differentiate(context, matrix_, record);
  const Eigen::VectorXd weights =
      Eigen::VectorXd::Constant(step_.objectives(), 1.0 / static_cast<double>(step_.objectives()));
  record.weights.assign(weights.begin(), weights.end());
  const auto direction = descent_direction(matrix_, weights, record);
  context.timer.lap("aggregation");

  context.updater.update_upper(direction);
  step_.move_omega(context, found);
  return record;
}

Snapshot Autolambda::save() const {
  Snapshot state;
  step_.save(state);
  return state;
}

std::unique_ptr<Method> make_autolambda(const Json& options) {
  AutolambdaOptions read;
  AutolambdaOptions::table().read(options, read, {});
  return std::make_unique<Autolambda>(read);
}

}  // namespace moblo
