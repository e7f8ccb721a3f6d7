#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::aggregation {

/// Both throw Error(numeric): values that are not finite must not become a direction, nor a state.
void refuse_unless_gramian(const std::string& method, const Eigen::MatrixXd& gramian);
void refuse_unless_finite_losses(const std::string& method, const Eigen::VectorXd& losses);

/// Throws Error(numeric) where a small problem's residual exceeds what counts as solved.
void refuse_unless_certified(const std::string& problem, double residual, double tolerance);

/// Throws Error(numeric): `what` left the range of double precision.
[[noreturn]] void refuse_overflow(const std::string& method, const std::string& what);

/// Throws Error(numeric) where a loss is out of range.
enum class LossBound { positive, non_negative };
void refuse_unless_losses(const std::string& method, const Eigen::VectorXd& losses, LossBound bound);

/// Throws Error(numeric): names the task whose gradient is not finite.
[[noreturn]] void refuse_gradient(const std::string& method, std::int64_t row);

template <class Scalar>
void refuse_unless_finite(const std::string& method, const GradientRows<Scalar>& rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < rows.columns; ++j) sum += std::abs(static_cast<double>(rows.row(i)[j]));
    if (!std::isfinite(sum)) refuse_gradient(method, i);
  }
}

/// The list of an option, one number per task, or `otherwise` for each where it is empty; throws Error(config).
Eigen::VectorXd numbers_by_task(const std::string& method, const std::string& option, const std::vector<double>& given,
                                Eigen::Index tasks, double otherwise);

}  // namespace moblo::aggregation
