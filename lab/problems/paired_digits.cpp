#include "lab/data/paired_images.hpp"
#include "lab/nets/lenet.hpp"
#include "lab/problems/task_problems.hpp"
#include "lab/problems/task_scores.hpp"
#include "lab/problems/to_tensors.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

TensorDataset to_tensors(const data::PairedImages& images) {
  return {to_tensor(images.pixels, {images.count, images.side * images.side}),
          to_tensor(images.labels, {images.count, 2})};
}

TensorDataset rows_of(const TensorDataset& data, std::int64_t first, std::int64_t count) {
  return {data.inputs.narrow(0, first, count), data.targets.narrow(0, first, count)};
}

std::unique_ptr<BilevelProblem> make_paired(const std::string& dataset, const Json& resolved, std::uint64_t seed) {
  const auto options = read_options<PairedDigitsOptions>(resolved);
  const auto parts = data::make_paired_images({.dataset = dataset,
                                               .data = options.data,
                                               .train = options.train,
                                               .validation = options.validation + options.select,
                                               .test = options.test},
                                              seed);
  const auto held_out = to_tensors(parts.validation);
  MultitaskData data{.train = {to_tensors(parts.train)},
                     .validation = {rows_of(held_out, 0, options.validation)},
                     .select = {rows_of(held_out, options.validation, options.select)},
                     .test = {to_tensors(parts.test)},
                     .prepare = [](const torch::Tensor& bytes) { return numbers_of(bytes, torch::kFloat32); },
                     .provenance = parts.provenance};
  const auto network = [&](const std::vector<std::size_t>& tasks, std::uint64_t own_seed) {
    Rng rng(own_seed);
    return nets::make_lenet({.classes = std::vector<std::int64_t>(tasks.size(), parts.classes),
                             .image = parts.train.side,
                             .first = options.first_channels,
                             .second = options.second_channels,
                             .features = options.features},
                            rng);
  };
  return std::make_unique<Multitask>(
      std::vector<Task>{classification_task("upper left", 0), classification_task("lower right", 1)}, std::move(data),
      network, options, seed);
}

}  // namespace

std::unique_ptr<BilevelProblem> make_multi_mnist(const Json& options, std::uint64_t seed) {
  return make_paired("mnist", options, seed);
}

std::unique_ptr<BilevelProblem> make_multi_fashion(const Json& options, std::uint64_t seed) {
  return make_paired("fashion-mnist", options, seed);
}

}  // namespace moblo::lab::problems
