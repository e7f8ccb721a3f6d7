#include "lab/readers/idx_samples.hpp"

#include <fmt/format.h>

#include "lab/data/idx.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

fs::path labels_beside(const fs::path& images, const std::string& labels_flag) {
  const std::string usual = "images-idx3", wanted = "labels-idx1";
  std::string name = images.filename().string();
  const std::size_t at = name.find(usual);
  std::error_code ignored;
  if (at != name.npos) {
    name.replace(at, usual.size(), wanted);
    for (const std::string& end : {std::string(), std::string(".gz")}) {
      const fs::path beside = images.parent_path() / (name + end);
      if (fs::exists(beside, ignored)) return beside;
    }
    if (name.ends_with(".gz")) {
      const fs::path raw = images.parent_path() / name.substr(0, name.size() - 3);
      if (fs::exists(raw, ignored)) return raw;
    }
  }
  throw Error(ErrorKind::data, images.string(), "an IDX file of images holds no labels",
              fmt::format("Give them by {} FILE", labels_flag));
}

}  // namespace

Samples read_idx_samples(const fs::path& images, const fs::path& labels, const std::string& labels_flag) {
  const auto read =
      data::read_labelled_images(images, labels.empty() ? labels_beside(images, labels_flag) : labels, 256);
  Samples samples;
  samples.file = images.string();
  refuse_too_many(static_cast<std::int64_t>(read.labels.size()), samples.file);
  samples.shape = {read.height, read.width};
  samples.image = true;
  samples.inputs.reserve(read.pixels.size());
  for (const auto pixel : read.pixels) samples.inputs.push_back(static_cast<float>(pixel) / 255);
  for (const auto label : read.labels) samples.labels.push_back(std::to_string(label));
  samples.trusted.assign(samples.size(), false);
  count_ids(samples);
  return samples;
}

}  // namespace moblo::lab::readers
