#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "moblo/base/export.hpp"

namespace moblo::ranks {

/// The processes that work on one run. All ranks make the same calls in the same order, with tensors of the same shape
/// and type, and get the same bits: in every repetition for one size of the group, but not from one size to another.
class MOBLO_API Group {
 public:
  Group() = default;
  virtual ~Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_alone() const { return size() == 1; }

  /// A sum that is under way; its tensor must not be touched before wait().
  class MOBLO_API Pending {
   public:
    virtual ~Pending() = default;
    virtual void wait() = 0;
  };

  /// Over all ranks, in place.
  virtual void sum(const torch::Tensor& values) { begin_sum(values)->wait(); }
  virtual std::unique_ptr<Pending> begin_sum(const torch::Tensor& values) = 0;
  /// Of every rank, in their order.
  virtual std::vector<torch::Tensor> gather(const torch::Tensor& values) = 0;
  /// Of rank `from`, in place.
  virtual void broadcast(const torch::Tensor& values, int from) = 0;
  virtual void barrier() = 0;
};

/// A process on its own: every call is empty.
MOBLO_API Group& alone();

}  // namespace moblo::ranks

namespace moblo {

using RankGroup = ranks::Group;

}  // namespace moblo
