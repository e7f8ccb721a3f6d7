#include "moblo/aggregation/weightings/checks.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/qp/problem.hpp"

namespace moblo {

void refuse_unless_gramian(const std::string& method, const Eigen::MatrixXd& gramian) {
  if (qp::looks_like_gramian(gramian, 1)) return;
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

}  // namespace moblo
