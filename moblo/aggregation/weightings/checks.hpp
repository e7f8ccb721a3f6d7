#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <vector>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/qp/solution.hpp"

/// What several weightings ask of their input. Each throws an Error that names the weighting.
namespace moblo {

enum class LossBound { positive, non_negative };
void require_losses(const std::string& who, const Eigen::VectorXd& losses, LossBound bound);

/// Finite, square, with so many rows, and |G_ij| <= |g_i| |g_j|.
void require_gramian(const std::string& who, const Eigen::MatrixXd& gramian, Eigen::Index rows);

void require_certified(const std::string& who, const qp::Solution& solution);

/// The list of an option, one number a task; `otherwise` for each task where the list is empty.
Eigen::VectorXd numbers_by_task(const std::string& who, const std::string& option, const std::vector<double>& given,
                                Eigen::Index tasks, double otherwise);

[[noreturn]] void refuse_row(const std::string& who, std::int64_t row);

template <class Scalar>
void require_finite(const std::string& who, const GradientRows<Scalar>& rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < rows.columns; ++j) sum += std::abs(static_cast<double>(rows.row(i)[j]));
    if (!std::isfinite(sum)) refuse_row(who, i);
  }
}

}  // namespace moblo
