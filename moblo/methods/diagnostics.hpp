#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/method.hpp"

namespace moblo {

/// Throws NotFinite that names the first culprit. The Gramian's leading rows are the objectives', one for each loss; a
/// further one is grad q's.
void refuse_not_finite(const std::vector<double>& losses, double lower_loss, double reached_loss,
                       const Eigen::MatrixXd& gramian);

/// Lengths of all rows, cosines between those of the objectives.
void describe_gradients(const Eigen::MatrixXd& gramian, std::int64_t objectives, StepRecord& record);

/// Of an update direction. Throws NotFinite.
double squared_length(const torch::Tensor& direction);

/// -sum_i coefficients_i row_i. Records its squared length, from the direction itself: the Gramian's entries cancel
/// near a stationary point. Throws NotFinite.
torch::Tensor descent_direction(GradientMatrix& matrix, const Eigen::VectorXd& coefficients, StepRecord& record);

/// Moves alpha and omega along their parts of a direction over both.
void update_both(const StepContext& context, const GradientMatrix& matrix, const torch::Tensor& direction);

}  // namespace moblo
