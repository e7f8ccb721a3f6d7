#include "moblo/problem/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/problem/scattered_order.hpp"

namespace moblo::problem {
namespace {

/// More samples than this are not shuffled: a step must not pay for the samples that it does not see.
constexpr std::int64_t most_shuffled = std::int64_t{1} << 20;

}  // namespace

TensorBatches::TensorBatches(std::vector<TensorDataset> datasets, std::int64_t batch_size, std::uint64_t seed)
    : batch_size_(batch_size) {
  if (datasets.empty()) {
    throw Error(ErrorKind::data, "no dataset", "a batch stream needs at least one", "Give it one per task");
  }
  if (batch_size < 1) {
    throw Error(ErrorKind::data, fmt::format("batch size {}", batch_size), "must be at least 1", "");
  }
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto& data = datasets[i];
    const std::int64_t samples = data.inputs.defined() && data.inputs.dim() > 0 ? data.inputs.size(0) : 0;
    const bool labels_agree = !data.targets.defined() || (data.targets.dim() > 0 && data.targets.size(0) == samples);
    if (samples == 0 || !labels_agree) {
      throw Error(ErrorKind::data,
                  fmt::format("dataset {} with {} inputs and {} targets", i, samples,
                              data.targets.defined() && data.targets.dim() > 0 ? data.targets.size(0) : 0),
                  "needs at least one sample and as many targets as inputs", "Check how it was read");
    }
    const auto& first = datasets.front().inputs;
    one_shape_ = one_shape_ && data.inputs.sizes().slice(1) == first.sizes().slice(1) &&
                 data.inputs.scalar_type() == first.scalar_type();
    epoch_length_ = std::max(epoch_length_, (samples + batch_size - 1) / batch_size);
    if (!data.inputs.device().is_cpu() || (data.targets.defined() && !data.targets.device().is_cpu())) {
      throw Error(ErrorKind::data, fmt::format("dataset {}", i), "is on another device than the CPU",
                  "Move its tensors there");
    }
    // Samples are gathered into memory that is written to, which autograd would refuse.
    const TensorDataset plain{data.inputs.detach(), data.targets.defined() ? data.targets.detach() : data.targets};
    parts_.push_back({plain, derive_seed(seed, "batches", i), -1, {}});
  }
}

/// Samples first .. first + count - 1 of the endless sequence of reshuffled epochs.
torch::Tensor TensorBatches::draw(Part& part, std::int64_t first, std::int64_t count) {
  const std::int64_t samples = part.data.inputs.size(0);
  auto indices = torch::empty({count}, torch::kInt64);
  auto* out = indices.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t epoch = (first + i) / samples;
    const std::uint64_t seed = derive_seed(part.seed, "epoch", static_cast<std::uint64_t>(epoch));
    if (samples > most_shuffled) {
      out[i] = ScatteredOrder(seed, samples)((first + i) % samples);
      continue;
    }
    if (epoch != part.epoch) {
      part.order = Rng(seed).permutation(samples);
      part.epoch = epoch;
    }
    out[i] = part.order[static_cast<std::size_t>((first + i) % samples)];
  }
  return indices;
}

std::int64_t TensorBatches::count_of(const Part& part) const {
  return std::min(batch_size_, part.data.inputs.size(0));
}

/// Room for the inputs of all parts, so that a network takes them as one matrix without another copy.
torch::Tensor TensorBatches::allocate_inputs() const {
  if (!one_shape_) return {};
  auto shape = parts_.front().data.inputs.sizes().vec();
  shape[0] = 0;
  for (const auto& part : parts_) shape[0] += count_of(part);
  return torch::empty(shape, parts_.front().data.inputs.options());
}

Batch TensorBatches::at(std::int64_t number) {
  if (number < 0) throw Error(ErrorKind::data, fmt::format("batch {}", number), "must not be negative", "");
  Batch batch{.number = number, .parts = {}, .inputs = allocate_inputs()};
  std::int64_t row = 0;
  for (auto& part : parts_) {
    const std::int64_t count = count_of(part);
    BatchPart drawn;
    drawn.indices = draw(part, number * count, count);
    if (one_shape_) {
      drawn.inputs = batch.inputs.narrow(0, row, count);
      at::index_select_out(drawn.inputs, part.data.inputs, 0, drawn.indices);
    } else {
      drawn.inputs = part.data.inputs.index_select(0, drawn.indices);
    }
    row += count;
    if (part.data.targets.defined()) drawn.targets = part.data.targets.index_select(0, drawn.indices);
    batch.parts.push_back(std::move(drawn));
  }
  return batch;
}

}  // namespace moblo::problem
