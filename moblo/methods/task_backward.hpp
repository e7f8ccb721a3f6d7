#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/base/export.hpp"

namespace moblo::methods {

/// The parameters of a training loop that is not ours.
struct MOBLO_API TaskParameters {
  std::vector<torch::Tensor> shared;              ///< by whose gradients the tasks are weighed
  std::vector<std::vector<torch::Tensor>> heads;  ///< of each task alone; empty where there are none
};

/// The backward pass of several losses: adds to `.grad` of the shared parameters sum_i weights_i grad L_i, and to
/// that of the heads their own gradients, weighted where the weighting weighs losses. Parameters that no loss depends
/// on are left alone. The weighting is started for the number of tasks; one with needs().samples > 1 takes the losses
/// of so many independent batches, batch by batch. Of `step`, `k` and `epoch_length` are read. The graph is freed.
MOBLO_API TaskWeights backward(Weighting& weighting, const std::vector<torch::Tensor>& losses,
                               const TaskParameters& parameters, TaskStep step);

struct MOBLO_API RowsAggregate {
  TaskWeights weights;
  torch::Tensor direction;  ///< sum_i shared_i row_i, of the type of the rows
};

/// The same for gradients that are known: one row per task (and batch). Products are summed in double precision.
MOBLO_API RowsAggregate aggregate(Weighting& weighting, const torch::Tensor& rows, TaskStep step);

}  // namespace moblo::methods

namespace moblo {

using methods::aggregate;
using methods::backward;
using methods::RowsAggregate;
using methods::TaskParameters;

}  // namespace moblo
