#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/problem/batch.hpp"

namespace moblo::problem {

/// A problem whose tasks read one representation of a batch, so that their gradients can stop there: what is behind it,
/// the trunk, is then passed once instead of once per task.
class MOBLO_API SharedRepresentation {
 public:
  virtual ~SharedRepresentation() = default;

  struct Cut {
    torch::Tensor representation;       ///< with the trunk's graph behind it
    torch::Tensor leaf;                 ///< the same values, where the graphs of the losses begin
    std::vector<torch::Tensor> losses;  ///< F_1 .. F_m
  };
  virtual Cut cut_at_representation(const Batch& batch) = 0;

  /// Why there is no such thing after all (a network per task, samples of its own for each task); null where there is.
  virtual const char* no_representation() const = 0;
};

}  // namespace moblo::problem

namespace moblo {

using problem::SharedRepresentation;

}  // namespace moblo
