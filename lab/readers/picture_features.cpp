#include "lab/readers/picture_features.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/data/digest.hpp"
#include "lab/data/parallel.hpp"
#include "lab/readers/image_samples.hpp"
#include "lab/readers/resample.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

std::string where_listed(const ListedImage& image) {
  return (image.row > 0 ? fmt::format("row {}: ", image.row) : "") + image.file.string();
}

}  // namespace

std::vector<SeenPicture> look_at_pictures(const ImageList& list, unsigned threads) {
  std::vector<SeenPicture> seen(list.images.size());
  std::vector<std::string> wrong(list.images.size());
  data::for_each_number(static_cast<std::int64_t>(list.images.size()), threads, [&](std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    try {
      const auto content = data::read_file_bytes(list.images[i].file, largest_image_file);
      if (const auto header = inspect_picture(content, wrong[i])) seen[i] = {data::sha256(content), header->colour};
    } catch (const Error& error) {
      wrong[i] = error.kind() == ErrorKind::io ? "cannot be opened" : "does not exist, or is not a file";
    }
  });
  data::Problems problems(list.file);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (!wrong[i].empty()) problems.add(fmt::format("{} {}", where_listed(list.images[i]), wrong[i]));
  }
  problems.refuse_if_any("Fix these images or take them out");
  return seen;
}

std::optional<Picture> network_picture(const std::filesystem::path& file, std::int64_t side, std::string& why) {
  const auto picture = decode_picture(data::read_file_bytes(file, largest_image_file), /*side=*/0, why);
  if (!picture) return {};
  return resampled(with_channels(*picture, 3), side, side);
}

Samples read_feature_samples(const ImageList& list, const std::vector<SeenPicture>& seen, PictureFeatures& features,
                             ReadingNotes& notes) {
  Samples samples;
  samples.file = list.file;
  samples.own_ids = true;
  samples.marked = list.marked;
  samples.inputs = features.make(list, seen, notes);
  samples.shape = {features.width()};
  samples.made_by = features.description();
  take_listed(list, samples);
  return samples;
}

Samples read_picture_samples(const ImageList& list, const data::NoisySource& source, PictureFeatures* features,
                             ReadingNotes& notes) {
  const bool possible = features && source.features != "none" && (source.image_size == 0 || source.features != "auto");
  if (possible && source.image_size > 0) {
    throw Error(ErrorKind::usage, fmt::format("--image-size {} with --features {}", source.image_size, source.features),
                "a network takes images of its own size", "Leave one of them out");
  }
  if (possible) {
    const auto seen = look_at_pictures(list, 0);
    const bool colour = std::any_of(seen.begin(), seen.end(), [](const auto& one) { return one.colour; });
    if (features->wanted(list.file, colour, notes)) return read_feature_samples(list, seen, *features, notes);
  }
  return read_image_samples(list, source.image_size, {}, notes);
}

std::vector<std::filesystem::path> pictures_named_by(const std::vector<std::string>& ids,
                                                     const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto is_there = [&](const std::string& id) {
    return named_as_image(id) && std::filesystem::is_regular_file(folder / id, ignored);
  };
  if (ids.empty() || !is_there(ids.front())) return {};
  std::vector<std::filesystem::path> pictures;
  for (const auto& id : ids) pictures.push_back(named_as_image(id) ? folder / id : std::filesystem::path());
  return pictures;
}

}  // namespace moblo::lab::readers
