#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"

namespace moblo::problem {

/// Samples of one dataset.
struct MOBLO_API BatchPart {
  torch::Tensor indices;  ///< int64, which samples of the dataset; what ParameterPack::rows takes
  torch::Tensor inputs;
  torch::Tensor targets;
};

/// What a loss is evaluated on: one part per dataset. Empty for problems without data.
struct MOBLO_API Batch {
  std::int64_t number = 0;  ///< position in its stream
  std::vector<BatchPart> parts;
  /// The inputs of all parts, one below another; each part's are rows of it. Undefined where their shapes differ.
  torch::Tensor inputs{};
  /// What a stream of one's own hands to its losses beside tensors.
  std::shared_ptr<void> content{};
};

/// A deterministic sequence of batches. The whole state is the position: batch k is a function of the seed and k.
class MOBLO_API BatchStream {
 public:
  virtual ~BatchStream() = default;

  virtual Batch at(std::int64_t number) = 0;
  /// How many batches make an epoch.
  virtual std::int64_t epoch_length() const { return 1; }
  /// No step will be undone to before this number: a stream that keeps batches to repeat them may let go of those
  /// before it.
  virtual void release_before(std::int64_t /*number*/) {}

  Batch next() { return at(position_++); }
  std::int64_t position() const { return position_; }
  void seek(std::int64_t position) { position_ = position; }

 private:
  std::int64_t position_ = 0;
};

/// For losses that need no data.
class MOBLO_API NoData : public BatchStream {
 public:
  Batch at(std::int64_t number) override { return {.number = number, .parts = {}}; }
};

/// One dataset in memory.
struct MOBLO_API TensorDataset {
  torch::Tensor inputs;
  torch::Tensor targets;
};

/// Shuffled mini-batches of one or several datasets, each reshuffled at the end of its own epoch.
class MOBLO_API TensorBatches : public BatchStream {
 public:
  TensorBatches(std::vector<TensorDataset> datasets, std::int64_t batch_size, std::uint64_t seed);

  Batch at(std::int64_t number) override;
  std::int64_t epoch_length() const override { return epoch_length_; }

 private:
  struct Part {
    TensorDataset data;
    std::uint64_t seed;
    std::int64_t epoch = -1;  ///< of the cached order
    std::vector<std::int64_t> order;
  };

  std::int64_t count_of(const Part& part) const;
  torch::Tensor allocate_inputs() const;
  static torch::Tensor draw(Part& part, std::int64_t first, std::int64_t count);

  std::vector<Part> parts_;
  std::int64_t batch_size_, epoch_length_ = 1;
  bool one_shape_ = true;  ///< of the inputs of all parts
};

}  // namespace moblo::problem

namespace moblo {

using problem::Batch;
using problem::BatchPart;
using problem::BatchStream;
using problem::NoData;
using problem::TensorBatches;
using problem::TensorDataset;

}  // namespace moblo
