#include "moblo/aggregation/weightings/spectrum.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "moblo/base/error.hpp"

namespace moblo::aggregation {
namespace {

constexpr double tolerance = 1e-5;

template <class Matrix>
typename Matrix::Scalar distance_from_identity(const Matrix& matrix) {
  return (matrix - Matrix::Identity(matrix.rows(), matrix.cols())).cwiseAbs().maxCoeff();
}

/// The residual is infinite where the iteration failed.
template <class Scalar>
Spectrum spectrum_of(const Eigen::MatrixXd& matrix, double cutoff) {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index size = matrix.rows();
  const Matrix scaled = matrix.cast<Scalar>();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(scaled);
  const auto& rising = solver.eigenvalues();
  Eigen::Index rank = 1;  // the largest stays, whatever the cutoff: it is above 0
  while (rank < size && rising(size - 1 - rank) > cutoff * rising(size - 1)) ++rank;

  const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> values = rising.tail(rank).reverse();
  const Matrix vectors = solver.eigenvectors().rightCols(rank).rowwise().reverse();
  const Matrix whitening = vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Matrix whitened = whitening.transpose() * scaled * whitening, square = vectors.transpose() * vectors;
  Spectrum kept{values.template cast<double>(), vectors.template cast<double>(), 0};
  kept.residual = static_cast<double>(std::max(distance_from_identity(whitened), distance_from_identity(square)));
  if (solver.info() != Eigen::Success) kept.residual = std::numeric_limits<double>::infinity();
  return kept;
}

}  // namespace

/// The rounding of a solve in double precision is a share epsilon / lambda of a small eigenvalue; extended precision
/// leaves only what the entries themselves leave open.
Spectrum certified_spectrum(const std::string& who, const Eigen::MatrixXd& matrix, double cutoff) {
  const double scale = matrix.cwiseAbs().maxCoeff();
  if (scale == 0) return {Eigen::VectorXd(0), Eigen::MatrixXd(matrix.rows(), 0), 0};
  Spectrum kept = spectrum_of<double>(matrix / scale, cutoff);
  if (!(kept.residual <= tolerance)) kept = spectrum_of<long double>(matrix / scale, cutoff);
  if (!(kept.residual <= tolerance)) {
    throw Error(ErrorKind::numeric, fmt::format("{}: the eigenvectors of {} gradients", who, matrix.rows()),
                fmt::format("residual {:.1e}, above {:.0e}: almost dependent gradients", kept.residual, tolerance),
                "Raise rank_tolerance");
  }
  kept.values *= scale;
  return kept;
}

}  // namespace moblo::aggregation
