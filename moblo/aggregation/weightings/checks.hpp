#pragma once

#include <string>

#include "moblo/aggregation/weighting.hpp"

namespace moblo {

/// Both throw Error(numeric): values that are not finite must not become a direction, nor a state.
void refuse_unless_gramian(const std::string& method, const Eigen::MatrixXd& gramian);
void refuse_unless_finite_losses(const std::string& method, const Eigen::VectorXd& losses);

/// Throws Error(numeric) where a small problem's residual exceeds what counts as solved.
void refuse_unless_certified(const std::string& problem, double residual, double tolerance);

}  // namespace moblo
