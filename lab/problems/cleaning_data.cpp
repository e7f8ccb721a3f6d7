#include "lab/problems/cleaning_data.hpp"

#include <algorithm>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/idx.hpp"
#include "lab/data/split.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

torch::Tensor pixels_of(const data::LabelledImages& images, const std::vector<std::int64_t>& chosen) {
  const std::int64_t pixels = images.pixels_an_image();
  auto bytes = torch::empty({static_cast<std::int64_t>(chosen.size()), pixels}, torch::kUInt8);
  auto* to = bytes.data_ptr<std::uint8_t>();
  for (const std::int64_t i : chosen) to = std::copy_n(images.pixels.begin() + i * pixels, pixels, to);
  return bytes;
}

std::vector<std::int64_t> labels_of(const data::LabelledImages& images, const std::vector<std::int64_t>& chosen) {
  std::vector<std::int64_t> labels;
  for (const std::int64_t i : chosen) labels.push_back(images.labels[static_cast<std::size_t>(i)]);
  return labels;
}

Json describe(const data::Split& split, const data::CorruptedLabels& corrupted) {
  return {{"train", data::sha256(split.train)},
          {"upper", data::sha256(split.upper)},
          {"select", data::sha256(split.select)},
          {"test", data::sha256(split.test)},
          {"train_labels", data::sha256(corrupted.labels)}};
}

}  // namespace

CleaningTask make_cleaning_task(const std::string& name, const HyperCleaningOptions& options, std::uint64_t seed) {
  const data::DatasetInfo& info = data::find_dataset(name);
  const auto folder = data::require_dataset(info, options.data);
  const auto image_file = *data::find_file(folder, info.files[0].name),
             label_file = *data::find_file(folder, info.files[1].name);
  const data::LabelledImages images = data::read_labelled_images(image_file, label_file, info.classes);

  const std::uint64_t own_seed = derive_seed(seed, name);
  const data::SplitSizes sizes{options.train, options.upper, options.select, options.test};
  const data::Split split = data::draw_split(images.count, sizes, own_seed, image_file.string());
  const auto corrupted =
      data::corrupt_labels(labels_of(images, split.train), info.classes, options.wrong, options.noise, own_seed);

  const auto part = [&](const std::vector<std::int64_t>& chosen, const std::vector<std::int64_t>& labels) {
    return TensorDataset{pixels_of(images, chosen), torch::tensor(labels, torch::kInt64)};
  };
  CleaningTask task;
  task.name = name;
  task.classes = info.classes;
  task.height = images.height;
  task.width = images.width;
  task.train = part(split.train, corrupted.labels);
  task.upper = part(split.upper, labels_of(images, split.upper));
  task.select = part(split.select, labels_of(images, split.select));
  task.test = part(split.test, labels_of(images, split.test));
  task.wrong = corrupted.wrong;
  task.provenance["files"] = {data::describe_file(info.files[0], images.pixels_sha256),
                              data::describe_file(info.files[1], images.labels_sha256)};
  task.provenance["samples_sha256"] = describe(split, corrupted);
  return task;
}

}  // namespace moblo::lab::problems
