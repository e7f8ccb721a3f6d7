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

}  // namespace moblo::aggregation

namespace moblo {

using aggregation::Aggregate;
using aggregation::aggregate;
using aggregation::TaskGradients;

}  // namespace moblo
