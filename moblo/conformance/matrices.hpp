#pragma once

#include <torch/types.h>

#include <Eigen/Core>

#include "moblo/base/rng.hpp"

namespace moblo::conformance {

/// Independent standard normal entries.
Eigen::MatrixXd gaussian(Eigen::Index rows, Eigen::Index columns, Rng& rng);
/// A random basis of the space: Q'Q = I.
Eigen::MatrixXd rotation(Eigen::Index size, Rng& rng);
/// Eigenvalues spaced evenly in the logarithm from 1/condition to 1, in a random basis.
Eigen::MatrixXd hessian_of_condition(Eigen::Index size, double condition, Rng& rng);

torch::Tensor to_tensor(const Eigen::MatrixXd& matrix, torch::TensorOptions type);
torch::Tensor to_tensor(const Eigen::VectorXd& vector, torch::TensorOptions type);
Eigen::VectorXd to_eigen(const torch::Tensor& tensor);

}  // namespace moblo::conformance
