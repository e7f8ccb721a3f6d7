#include "moblo/applications/cleaning_data.hpp"

#include <algorithm>

#include "moblo/base/rng.hpp"
#include "moblo/data/dataset_store.hpp"
#include "moblo/data/digest.hpp"
#include "moblo/data/idx.hpp"
#include "moblo/data/split.hpp"

namespace moblo {
namespace {

torch::Tensor pixels_of(const LabelledImages& images, const std::vector<std::int64_t>& chosen) {
  const std::int64_t pixels = images.pixels_an_image();
  auto bytes = torch::empty({static_cast<std::int64_t>(chosen.size()), pixels}, torch::kUInt8);
  auto* to = bytes.data_ptr<std::uint8_t>();
  for (const std::int64_t i : chosen) to = std::copy_n(images.pixels.begin() + i * pixels, pixels, to);
  return bytes;
}

std::vector<std::int64_t> labels_of(const LabelledImages& images, const std::vector<std::int64_t>& chosen) {
  std::vector<std::int64_t> labels;
  for (const std::int64_t i : chosen) labels.push_back(images.labels[static_cast<std::size_t>(i)]);
  return labels;
}

Json describe(const Split& split, const CorruptedLabels& corrupted) {
  return {{"train", sha256(split.train)},
          {"upper", sha256(split.upper)},
          {"select", sha256(split.select)},
          {"test", sha256(split.test)},
          {"train_labels", sha256(corrupted.labels)}};
}

}  // namespace

CleaningTask make_cleaning_task(const std::string& name, const HyperCleaningOptions& options, std::uint64_t seed) {
  const DatasetInfo& info = find_dataset(name);
  const auto folder = require_dataset(info, options.data);
  const auto image_file = *find_file(folder, info.files[0].name), label_file = *find_file(folder, info.files[1].name);
  const LabelledImages images = read_labelled_images(image_file, label_file, info.classes);

  const std::uint64_t own_seed = derive_seed(seed, name);
  const SplitSizes sizes{options.train, options.upper, options.select, options.test};
  const Split split = draw_split(images.count, sizes, own_seed, image_file.string());
  const auto corrupted =
      corrupt_labels(labels_of(images, split.train), info.classes, options.wrong, options.noise, own_seed);

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
  task.provenance["files"] = {describe_file(info.files[0], images.pixels_sha256),
                              describe_file(info.files[1], images.labels_sha256)};
  task.provenance["samples_sha256"] = describe(split, corrupted);
  return task;
}

}  // namespace moblo
