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

}  // namespace moblo
