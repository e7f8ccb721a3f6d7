#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>

namespace moblo::aggregation {

/// Products of gradients are rounded: eigenvalues below this share of m times the largest cannot be told from zero. In
/// singular values, their roots, that is 1e-7 for a few gradients.
inline constexpr double gramian_rounding = 64 * std::numeric_limits<double>::epsilon();

/// The eigenpairs of a symmetric matrix that are above `cutoff` times the largest, falling; none for a zero matrix.
struct Spectrum {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  double residual = 0;  ///< max_kl |v_k'A v_l - lambda_k delta_kl| / sqrt(lambda_k lambda_l), and |V'V - I|
};

/// Throws Error(numeric) in the name of `who` where the residual exceeds 1e-5.
Spectrum certified_spectrum(const std::string& who, const Eigen::MatrixXd& matrix, double cutoff);

}  // namespace moblo::aggregation
