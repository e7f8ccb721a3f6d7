#include <algorithm>

#include "lab/data/dataset_store.hpp"
#include "lab/nets/deeplab.hpp"
#include "lab/nets/weights.hpp"
#include "lab/problems/task_problems.hpp"
#include "lab/problems/task_scores.hpp"
#include "lab/problems/to_tensors.hpp"
#include "lab/readers/named_tensors.hpp"
#include "lab/readers/scenes.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

/// Targets as planes of one tensor: label, depth, normal.
TensorDataset to_tensors(const readers::Scenes& scenes) {
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
  const auto folder = data::require_dataset(data::find_dataset("nyuv2"), options.data);
  const readers::ScenesOptions size{.height = options.height, .width = options.width};
  std::vector<std::string> notes;
  const auto scenes = readers::read_scenes(folder, readers::ScenesPart::train, size, notes);
  const auto test = readers::read_scenes(folder, readers::ScenesPart::test, size, notes);
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
  const std::vector<std::int64_t> outputs{readers::Scenes::classes, 1, 3};
  const auto network = [&](const std::vector<std::size_t>& tasks, std::uint64_t own_seed) {
    Rng rng(own_seed);
    nets::DeepLabOptions net{.outputs = {},
                             .depth = options.depth,
                             .width = options.first_channels,
                             .channels = options.head_channels,
                             .rates = {options.rates.begin(), options.rates.end()}};
    for (const std::size_t task : tasks) net.outputs.push_back(outputs[task]);
    auto made = nets::make_deeplab(net, rng);
    if (!options.weights.empty())
      nets::load_backbone(*made, readers::read_named_tensors(options.weights), options.weights);
    return made;
  };
  return std::make_unique<Multitask>(
      std::vector<Task>{segmentation_task(readers::Scenes::classes), depth_task(), normal_task()}, std::move(data),
      network, options, seed);
}

}  // namespace moblo::lab::problems
