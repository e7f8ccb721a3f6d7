#include "moblo/aggregation/weightings/checks.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/qp/problem.hpp"

namespace moblo::aggregation {

void refuse_unless_gramian(const std::string& method, const Eigen::MatrixXd& gramian) {
  if (qp::looks_like_gramian(gramian, 1)) return;
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (std::isfinite(gramian(i, i))) continue;
    throw Error(ErrorKind::numeric, fmt::format("{}: |g_{}|^2 = {}", method, i + 1, gramian(i, i)),
                "is not finite: that gradient is not, or it is longer than 1.3e154 and its square overflows",
                "Look for a loss that overflows, and divide the losses by a constant; a smaller step size helps");
  }
  throw Error(ErrorKind::numeric, fmt::format("{}: the Gramian of {} task gradients", method, gramian.rows()),
              "is not one of finite gradients", "Look for a loss that overflows; a smaller step size helps");
}

void refuse_unless_finite_losses(const std::string& method, const Eigen::VectorXd& losses) {
  for (Eigen::Index i = 0; i < losses.size(); ++i) {
    if (std::isfinite(losses(i))) continue;
    throw Error(ErrorKind::numeric, fmt::format("{}: loss {} of task {}", method, losses(i), i + 1), "is not finite",
                "Take a smaller step size");
  }
}

void refuse_unless_certified(const std::string& problem, double residual, double tolerance) {
  if (residual <= tolerance) return;
  throw Error(ErrorKind::numeric, problem, fmt::format("not certified: its relative residual is {:.1e}", residual),
              "Rescale the losses, or report the Gramian as a bug");
}

void refuse_unless_losses(const std::string& method, const Eigen::VectorXd& losses, LossBound bound) {
  refuse_unless_finite_losses(method, losses);
  for (Eigen::Index i = 0; i < losses.size(); ++i) {
    if (bound == LossBound::positive ? losses(i) > 0 : losses(i) >= 0) continue;
    throw Error(ErrorKind::numeric, fmt::format("{}: loss {} of task {}", method, losses(i), i + 1),
                bound == LossBound::positive ? "the losses must be above 0" : "the losses must not be below 0",
                "Add a constant to that loss, or choose another weighting");
  }
}

void refuse_overflow(const std::string& method, const std::string& what) {
  throw Error(ErrorKind::numeric, fmt::format("{}: {}", method, what), "overflows double precision",
              "Look for a loss that overflows; smaller losses or a smaller step size help");
}

void refuse_gradient(const std::string& method, std::int64_t row) {
  throw Error(ErrorKind::numeric, fmt::format("{}: the gradient of task {}", method, row + 1), "is not finite",
              "Look for a loss that overflows; a smaller step size helps");
}

Eigen::VectorXd numbers_by_task(const std::string& method, const std::string& option, const std::vector<double>& given,
                                Eigen::Index tasks, double otherwise) {
  if (given.empty()) return Eigen::VectorXd::Constant(tasks, otherwise);
  if (static_cast<Eigen::Index>(given.size()) != tasks) {
    throw Error(ErrorKind::config, fmt::format("{}: {} has {} numbers", method, option, given.size()),
                fmt::format("there are {} tasks", tasks), "Give one number per task, or none");
  }
  return Eigen::Map<const Eigen::VectorXd>(given.data(), tasks);
}

}  // namespace moblo::aggregation
