#pragma once

#include "moblo/aggregation/weighting.hpp"

namespace moblo {

/// Row-major, so that a row is one stretch of memory.
using TaskGradients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Aggregate {
  TaskWeights weights;
  Eigen::VectorXd direction;  ///< sum_i shared_i row_i, of the rows as rewrite() left them
};

/// One step of a started weighting on explicit gradients: samples x m rows. `step` carries no Gramian yet.
Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step);

/// What the Gramian alone determines of a direction d = sum_i shared_i g_i.
struct GramianAggregate {
  TaskWeights weights;
  Eigen::VectorXd products;  ///< <g_i, d>
  double length = 0;         ///< |d|
};

/// The same from the Gramian of the rows; not for a weighting with needs().entries.
GramianAggregate aggregate_gramian(Weighting& weighting, const Eigen::MatrixXd& gramian, TaskStep step);

/// The symmetric matrix meant by `given`, a Gramian up to the rounding of six digits. Throws Error(data) in the name of
/// `place` where no gradients have such products, or where they have lost their digits to underflow.
Eigen::MatrixXd semidefinite_gramian(const Eigen::MatrixXd& given, const std::string& place);

}  // namespace moblo
