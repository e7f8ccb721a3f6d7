#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// Throws NotFinite that names the first culprit. The Gramian's leading rows are the objectives', one for each loss; a
/// further one is grad q's.
void refuse_not_finite(const std::vector<double>& losses, double lower_loss, double reached_loss,
                       const Eigen::MatrixXd& gramian);

/// A method's own state is of as many objectives as the problem has. Throws Error(checkpoint).
void refuse_other_objectives(const Snapshot& state, std::int64_t objectives);

/// Lengths of all rows, cosines between those of the objectives.
void describe_gradients(const Eigen::MatrixXd& gramian, std::int64_t objectives, StepRecord& record);

/// Of an update direction. Throws NotFinite.
double squared_length(const torch::Tensor& direction);

/// What every method records of z_k: losses, f, q, lengths and cosines. Throws NotFinite, see refuse_not_finite.
StepRecord point_record(const std::vector<double>& losses, double lower_loss, double reached_loss,
                        const Eigen::MatrixXd& gramian);

/// Directions -sum_i coefficients_i row_i of both levels, and K, their squared length: taken from the direction itself,
/// for the Gramian's entries cancel near a stationary point. Throws NotFinite.
void set_direction(Measurement& here, gradients::GradientMatrix& matrix, const Eigen::VectorXd& coefficients);

/// Moves alpha and omega along the measured directions.
void move_both(const Measurement& here, const StepContext& context, Updater& updater);

std::vector<double> to_vector(const Eigen::VectorXd& values);

}  // namespace moblo::methods
