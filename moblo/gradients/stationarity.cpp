#include "moblo/gradients/stationarity.hpp"

#include "moblo/gradients/second_order.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/value_function.hpp"

namespace moblo::gradients {
namespace {

/// f, its slope and the F_i with their gradients; `use(second, found)` has the second derivatives of f in between.
template <class Use>
Stationarity evaluate(BilevelProblem& problem, std::int64_t objectives, GradientMatrix& matrix, PhaseTimer& timer,
                      const Use& use) {
  Stationarity found;
  found.lower_batch = problem.lower_batches().next();
  SecondOrder second(problem, found.lower_batch);  // reads alpha's rows, hence before the matrix is shaped
  found.lower_loss = second.loss();
  found.slope = second.gradient();
  matrix.reset(objectives + 1, upper_columns(problem.upper()), problem.lower().dense_size(), problem.lower().options());
  timer.lap("lower gradient");
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  found.losses = upper_jacobian(problem, problem.upper_batches().next(), matrix);
  timer.lap("upper gradients");
  use(second, found);
  timer.lap("second derivatives");
  return found;
}

}  // namespace

Stationarity lagrangian_rows(BilevelProblem& problem, const torch::Tensor& multipliers, GradientMatrix& matrix,
                             PhaseTimer& timer) {
  const std::int64_t m = multipliers.size(0);
  return evaluate(problem, m, matrix, timer, [&](SecondOrder& second, const Stationarity& found) {
    for (std::int64_t i = 0; i < m; ++i) {
      second.subtract_products(multipliers[i], 1, matrix.lower_part(i), matrix.upper_part(i),
                               /*keep_graph=*/i + 1 < m);
    }
    matrix.lower_part(m).copy_(found.slope);
  });
}

Stationarity penalty_rows(BilevelProblem& problem, std::int64_t objectives, GradientMatrix& matrix, PhaseTimer& timer) {
  return evaluate(problem, objectives, matrix, timer, [&](SecondOrder& second, const Stationarity& found) {
    second.subtract_products(found.slope, -1, matrix.lower_part(objectives), matrix.upper_part(objectives),
                             /*keep_graph=*/false);
  });
}

}  // namespace moblo::gradients
