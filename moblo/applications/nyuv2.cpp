#include <algorithm>

#include "moblo/applications/task_problems.hpp"
#include "moblo/applications/task_scores.hpp"
#include "moblo/applications/to_tensors.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/data/dataset_store.hpp"
#include "moblo/data/named_tensors.hpp"
#include "moblo/data/scenes.hpp"
#include "moblo/nets/deeplab.hpp"
#include "moblo/nets/weights.hpp"

namespace moblo {
namespace {

/// Targets as planes of one tensor: label, depth, normal.
TensorDataset to_tensors(const Scenes& scenes) {
  const auto planes = [&](const auto& values, std::int64_t count) {
    return to_tensor(values, {scenes.count, count, scenes.height, scenes.width});
  };
  return {planes(scenes.images, 3),
          torch::cat(
              {planes(scenes.labels, 1).to(torch::kFloat32), planes(scenes.depths, 1), planes(scenes.normals, 3)}, 1)};
}

TensorDataset rows_of(const TensorDataset& data, const torch::Tensor& rows) {
  return {data.inputs.index_select(0, rows), data.targets.index_select(0, rows)};
}

}  // namespace

std::unique_ptr<BilevelProblem> make_nyuv2(const Json& resolved, std::uint64_t seed) {
  const auto options = read_options<Nyuv2Options>(resolved);
  const auto folder = require_dataset(find_dataset("nyuv2"), options.data);
  const ScenesOptions size{.height = options.height, .width = options.width};
  std::vector<std::string> notes;
  const auto scenes = read_scenes(folder, ScenesPart::train, size, notes);
  const auto test = read_scenes(folder, ScenesPart::test, size, notes);
  const auto training = to_tensors(scenes);
  const auto order = torch::tensor(Rng(derive_seed(seed, "split")).permutation(scenes.count));
  const std::int64_t held_out = std::min(options.validation, scenes.count - 2);
  const auto validation = rows_of(training, order.narrow(0, 0, held_out));
  MultitaskData data{.train = {rows_of(training, order.narrow(0, held_out, scenes.count - held_out))},
                     .validation = {validation},
                     .select = {validation},
                     .test = {to_tensors(test)},
                     .prepare = imagenet_normalised,
                     .provenance = {{"train", scenes.provenance}, {"test", test.provenance}}};
  const std::vector<std::int64_t> outputs{Scenes::classes, 1, 3};
  const auto network = [&](const std::vector<std::size_t>& tasks, std::uint64_t own_seed) {
    Rng rng(own_seed);
    DeepLabOptions net{.outputs = {},
                       .depth = options.depth,
                       .width = options.first_channels,
                       .channels = options.head_channels,
                       .rates = {options.rates.begin(), options.rates.end()}};
    for (const std::size_t task : tasks) net.outputs.push_back(outputs[task]);
    auto made = make_deeplab(net, rng);
    if (!options.weights.empty()) load_backbone(*made, read_named_tensors(options.weights), options.weights);
    return made;
  };
  return std::make_unique<Multitask>(std::vector<Task>{segmentation_task(Scenes::classes), depth_task(), normal_task()},
                                     std::move(data), network, options, seed);
}

}  // namespace moblo
