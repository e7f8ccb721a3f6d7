#include "moblo/aggregation/weightings/spectrum.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "moblo/base/error.hpp"

namespace moblo::aggregation {

namespace {

double distance_from_identity(const Eigen::MatrixXd& matrix) {
  return (matrix - Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols())).cwiseAbs().maxCoeff();
}

}  // namespace

Spectrum certified_spectrum(const std::string& who, const Eigen::MatrixXd& matrix, double cutoff) {
  constexpr double tolerance = 1e-5;
  const Eigen::Index size = matrix.rows();
  const double scale = matrix.cwiseAbs().maxCoeff();
  if (scale == 0) return {Eigen::VectorXd(0), Eigen::MatrixXd(size, 0), 0};
  const Eigen::MatrixXd scaled = matrix / scale;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  const Eigen::VectorXd rising = solver.eigenvalues();
  Eigen::Index rank = 0;
  while (rank < size && rising(size - 1 - rank) > cutoff * rising(size - 1)) ++rank;

  Spectrum kept{rising.tail(rank).reverse(), solver.eigenvectors().rightCols(rank).rowwise().reverse(), 0};
  const Eigen::MatrixXd whitening = kept.vectors * kept.values.cwiseSqrt().cwiseInverse().asDiagonal();
  kept.residual = std::max(distance_from_identity(whitening.transpose() * scaled * whitening),
                           distance_from_identity(kept.vectors.transpose() * kept.vectors));
  if (solver.info() != Eigen::Success || !(kept.residual <= tolerance)) {
    throw Error(ErrorKind::numeric, fmt::format("{}: the eigenvectors of {} gradients", who, size),
                fmt::format("residual {:.1e}, above {:.0e}: almost dependent gradients", kept.residual, tolerance),
                "Raise rank_tolerance");
  }
  kept.values *= scale;
  return kept;
}

}  // namespace moblo::aggregation
