#pragma once

#include <torch/types.h>

#include <functional>

namespace moblo::gradients {

using LinearOperator = std::function<torch::Tensor(const torch::Tensor&)>;

/// A x = b for a symmetric positive definite A, by at most `steps` conjugate gradients from x = 0. Throws
/// Error(numeric) where A turns out not to be positive definite.
torch::Tensor conjugate_gradients(const LinearOperator& a, const torch::Tensor& b, std::int64_t steps,
                                  double tolerance);

/// step sum_{j < terms} (I - step A)^j b: tends to A^-1 b for 0 < step < 2/|A|. With terms = T it is what T lower steps
/// at a constant Hessian pass back.
torch::Tensor neumann_series(const LinearOperator& a, const torch::Tensor& b, std::int64_t terms, double step);

}  // namespace moblo::gradients
