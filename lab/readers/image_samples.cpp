#include "lab/readers/image_samples.hpp"
#include "lab/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/readers/picture.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::int64_t largest_kept = 64, small = 32, usual_small = 28;

struct Size {
  std::int64_t height = 0, width = 0;
  bool operator==(const Size&) const = default;
  std::int64_t largest() const { return std::max(height, width); }
};

struct Loaded {
  std::vector<Picture> pictures;
  std::int64_t largest_side = 0, channels = 1;
  bool one_size = true;
  Size first;
};

/// Nothing and a reason for an image that cannot be read; all problems of a list are named in one message.
std::optional<Picture> load(const ListedImage& image, std::int64_t side, std::string& why) {
  try {
    return decode_picture(data::read_file_bytes(image.file, largest_image_file), side, why);
  } catch (const Error& error) {
    why = error.kind() == ErrorKind::io ? "cannot be opened" : "does not exist, or is not a file";
    return {};
  }
}

/// A picture larger than any size that may come out is shrunk at once, so that memory does not hold photographs.
Loaded load_all(const ImageList& list, const Size& wanted) {
  Loaded loaded;
  data::Problems problems(list.file);
  const std::int64_t reduced_to = wanted.largest() > 0 ? wanted.largest() : largest_kept;
  for (const auto& image : list.images) {
    std::string why;
    auto picture = load(image, reduced_to, why);
    if (!picture) {
      problems.add((image.row > 0 ? fmt::format("row {}: ", image.row) : "") +
                   fmt::format("{} {}", image.file.string(), why));
      continue;
    }
    const Size size{picture->height, picture->width};
    if (loaded.pictures.empty()) loaded.first = size;
    loaded.one_size = loaded.one_size && size == loaded.first;
    loaded.largest_side = std::max(loaded.largest_side, size.largest());
    loaded.channels = std::max(loaded.channels, picture->channels);
    if (wanted.largest() == 0 && size.largest() > largest_kept)
      *picture = resized(*picture, largest_kept, largest_kept);
    if (wanted.largest() > 0) *picture = resized(*picture, wanted.height, wanted.width);
    loaded.pictures.push_back(std::move(*picture));
  }
  problems.refuse_if_any("Fix these images or take them out");
  return loaded;
}

Size size_for(const Loaded& loaded) {
  if (loaded.one_size && loaded.largest_side <= largest_kept) return loaded.first;
  const std::int64_t side = loaded.largest_side <= small ? usual_small : std::min(loaded.largest_side, largest_kept);
  return {side, side};
}

void append(const Picture& picture, std::vector<float>& inputs) {
  for (const auto pixel : picture.pixels) inputs.push_back(static_cast<float>(pixel) / 255);
}

}  // namespace

void take_listed(const ImageList& list, Samples& samples) {
  for (const auto& image : list.images) {
    samples.ids.push_back(image.id);
    samples.labels.push_back(image.label);
    samples.trusted.push_back(image.trusted);
    samples.pictures.push_back(image.file);
    samples.given.push_back(image.given);
  }
}

Samples read_image_samples(const ImageList& list, std::int64_t side, const std::vector<std::int64_t>& shape,
                           ReadingNotes& notes) {
  Size size = shape.empty() ? Size{side, side} : Size{shape[0], shape[1]};
  const bool decided = size.largest() > 0;
  Loaded loaded = load_all(list, size);
  if (!decided) size = size_for(loaded);
  const std::int64_t channels = shape.empty() ? loaded.channels : shape.size() == 3 ? 3 : 1;

  Samples samples;
  samples.file = list.file;
  samples.image = samples.own_ids = true;
  samples.marked = list.marked;
  samples.shape = {size.height, size.width};
  if (channels == 3) samples.shape.push_back(3);
  if (list.images.size() * samples.width() > data::most_values) {
    throw Error(ErrorKind::data, list.file,
                fmt::format("{} images of {} x {} pixels are more than can be held", list.images.size(), size.width,
                            size.height),
                "Ask for smaller ones: --image-size PIXELS");
  }
  samples.inputs.reserve(list.images.size() * samples.width());
  for (auto& picture : loaded.pictures) {
    append(with_channels(resized(picture, size.height, size.width), channels), samples.inputs);
    picture.pixels = {};
  }
  take_listed(list, samples);
  const bool kept = loaded.one_size && loaded.first == size;
  notes.push_back(fmt::format("{}: {} images, {} x {} pixels, {}{}", list.file, samples.size(), size.width, size.height,
                              channels == 3 ? "colour" : "grey", kept ? "" : " (resized)"));
  return samples;
}

}  // namespace moblo::lab::readers
