#pragma once

#include "moblo/aggregation/weighting.hpp"
#include "moblo/base/export.hpp"

namespace moblo::aggregation {

/// Row-major, so that a row is one stretch of memory.
using TaskGradients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct MOBLO_API Aggregate {
  TaskWeights weights;
  Eigen::VectorXd direction;  ///< sum_i shared_i row_i, of the rows as rewrite() left them
};

/// One step of a started weighting on explicit gradients: samples x m rows. `step` carries no Gramian yet.
MOBLO_API Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step);

/// What the Gramian alone determines of a direction d = sum_i shared_i g_i.
struct MOBLO_API GramianAggregate {
  TaskWeights weights;
  Eigen::VectorXd products;  ///< <g_i, d>
  double length = 0;         ///< |d|
};

/// The same from the Gramian of the rows; not for a weighting with needs().entries.
MOBLO_API GramianAggregate aggregate_gramian(Weighting& weighting, const Eigen::MatrixXd& gramian, TaskStep step);

/// The symmetric matrix meant by `given`, a Gramian up to the rounding of six digits. Throws Error(data) in the name of
/// `place` where no gradients have such products, or where they have lost their digits to underflow.
MOBLO_API Eigen::MatrixXd semidefinite_gramian(const Eigen::MatrixXd& given, const std::string& place);

}  // namespace moblo::aggregation

namespace moblo {

using aggregation::Aggregate;
using aggregation::aggregate;
using aggregation::aggregate_gramian;
using aggregation::GramianAggregate;
using aggregation::semidefinite_gramian;
using aggregation::TaskGradients;

}  // namespace moblo
