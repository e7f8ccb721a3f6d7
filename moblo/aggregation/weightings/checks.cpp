#include "moblo/aggregation/weightings/checks.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/qp/problem.hpp"

namespace moblo {

void require_losses(const std::string& who, const Eigen::VectorXd& losses, LossBound bound) {
  for (Eigen::Index i = 0; i < losses.size(); ++i) {
    const bool in_range = bound == LossBound::positive ? losses(i) > 0 : losses(i) >= 0;
    if (in_range && std::isfinite(losses(i))) continue;
    throw Error(ErrorKind::numeric, fmt::format("{}: loss {} of {} is {}", who, i + 1, losses.size(), losses(i)),
                bound == LossBound::positive ? "the losses must be finite and above 0"
                                             : "the losses must be finite and not below 0",
                "Add a constant to that loss, lower the step size, or choose another weighting");
  }
}

void require_gramian(const std::string& who, const Eigen::MatrixXd& gramian, Eigen::Index rows) {
  if (gramian.rows() == rows && qp::looks_like_gramian(gramian, 1)) return;
  throw Error(ErrorKind::numeric, fmt::format("{}: a {} x {} matrix", who, gramian.rows(), gramian.cols()),
              fmt::format("a finite Gramian of {} gradients is needed", rows),
              "Look for gradients that are not finite; a lower step size may help");
}

void require_certified(const std::string& who, const qp::Solution& solution) {
  if (solution.certified()) return;
  throw Error(ErrorKind::numeric, fmt::format("{}: the QP of {} gradients", who, solution.weights.size()),
              fmt::format("{} (relative KKT residual {:.1e})", qp::describe(solution.status), solution.kkt_residual),
              "Rescale the losses, or report the Gramian as a bug");
}

Eigen::VectorXd numbers_by_task(const std::string& who, const std::string& option, const std::vector<double>& given,
                                Eigen::Index tasks, double otherwise) {
  if (given.empty()) return Eigen::VectorXd::Constant(tasks, otherwise);
  if (static_cast<Eigen::Index>(given.size()) != tasks) {
    throw Error(ErrorKind::config, fmt::format("{}: {} has {} numbers", who, option, given.size()),
                fmt::format("there are {} tasks", tasks), "Give one number a task, or none");
  }
  return Eigen::Map<const Eigen::VectorXd>(given.data(), tasks);
}

void refuse_row(const std::string& who, std::int64_t row) {
  throw Error(ErrorKind::numeric, fmt::format("{}: the gradient of task {}", who, row + 1), "it must be finite",
              "Lower the step size, or look at that loss");
}

}  // namespace moblo
