#include "moblo/methods/moml.hpp"

#include "moblo/methods/diagnostics.hpp"

namespace moblo {

void Moml::start(BilevelProblem& problem, std::int64_t objectives) {
  step_.start(problem, objectives);
  solver_.forget();
}

StepRecord Moml::step(const StepContext& context) {
  const SlicesOpen slices(context.problem.upper());
  StepRecord record;
  const auto found = step_.differentiate(context, matrix_, record);

  const qp::Solution& solution = solver_.solve(found.gramian);
  qp::refuse_uncertified(solution, "MOML's min-norm QP");
  record.weights.assign(solution.weights.begin(), solution.weights.end());
  record.solved_weights = record.weights;
  record.qp_status = qp::describe(solution.status);
  record.qp_residual = solution.kkt_residual;
  const auto direction = descent_direction(matrix_, solution.weights, record);
  context.timer.lap("aggregation");

  context.updater.update_upper(direction);
  step_.move_omega(context, found);
  return record;
}

Snapshot Moml::save() const {
  Snapshot state;
  step_.save(state);
  state.values["free_set"] = solver_.warm_start().free_set;
  return state;
}

void Moml::restore(const Snapshot& state) {
  step_.restore(state);
  solver_.restore({state.values.at("free_set").get<std::vector<int>>(), -1});
}

std::unique_ptr<Method> make_moml(const Json& options) {
  MomlOptions read;
  MomlOptions::table().read(options, read, {});
  return std::make_unique<Moml>(read);
}

}  // namespace moblo
