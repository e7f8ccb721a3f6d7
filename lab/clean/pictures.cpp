#include "lab/clean/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/data/parallel.hpp"
#include "lab/readers/resample.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t largest_shown = 96, compared = 16;
constexpr double alike = 0.95;

/// Nothing for a file that has gone since, or cannot be decoded.
std::optional<readers::Picture> picture_in(const std::filesystem::path& file, std::int64_t side) {
  try {
    std::string why;
    return readers::decode_picture(data::read_file_bytes(file, readers::largest_image_file), side, why);
  } catch (const Error&) {
    return {};
  }
}

Thumbnail thumbnail_of(const std::filesystem::path& file) {
  const auto picture = picture_in(file, largest_shown);
  if (!picture) return {};
  const double by = std::min(
      1.0, static_cast<double>(largest_shown) / static_cast<double>(std::max(picture->height, picture->width)));
  const auto side = [&](std::int64_t pixels) {
    return std::max<std::int64_t>(1, std::llround(by * static_cast<double>(pixels)));
  };
  auto small = readers::resampled(*picture, side(picture->height), side(picture->width));
  return {small.height, small.width, small.channels, std::move(small.pixels)};
}

/// Grey or red-green-blue, from what the networks see back to bytes.
Thumbnail thumbnail_of(const CleanTask& task, std::size_t sample) {
  Thumbnail image{task.shape[0], task.shape[1], task.shape.size() > 2 ? task.shape[2] : 1, {}};
  const auto row = task.noisy.inputs[static_cast<std::int64_t>(sample)].contiguous();
  const auto* value = row.data_ptr<float>();
  for (std::size_t i = 0; i < task.scaling.mean.size(); ++i) {
    const double scale = task.scaling.scale[i];
    const double pixel = task.scaling.mean[i] + (scale > 0 ? static_cast<double>(value[i]) / scale : 0.0);
    image.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(pixel, 0.0, 1.0))));
  }
  return image;
}

/// Mean 0, length 1; empty for a file that cannot be read, and for a picture of one colour.
using Pattern = std::vector<float>;

Pattern pattern_of(const std::filesystem::path& file) {
  const auto picture = picture_in(file, compared);
  if (!picture) return {};
  const auto small = readers::resampled(readers::with_channels(*picture, 3), compared, compared);
  double sum = 0, squares = 0;
  for (const auto pixel : small.pixels) sum += pixel;
  const double mean = sum / static_cast<double>(small.pixels.size());
  for (const auto pixel : small.pixels) squares += (pixel - mean) * (pixel - mean);
  if (squares == 0) return {};
  Pattern pattern;
  for (const auto pixel : small.pixels) pattern.push_back(static_cast<float>((pixel - mean) / std::sqrt(squares)));
  return pattern;
}

double correlation(const Pattern& a, const Pattern& b) {
  if (a.empty() || b.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

bool has_pictures(const CleanTask& task) {
  return task.image || !task.pictures.empty();
}

std::vector<Thumbnail> thumbnails(const CleanTask& task, const std::vector<std::size_t>& samples) {
  std::vector<Thumbnail> shown;
  if (!has_pictures(task)) return shown;
  for (const auto j : samples) {
    shown.push_back(task.pictures.empty() ? thumbnail_of(task, j) : thumbnail_of(task.pictures[j]));
  }
  return shown;
}

Lookalikes lookalikes_in(const std::vector<std::filesystem::path>& pictures, int threads) {
  return [&pictures, threads](const std::vector<RowPair>& pairs) {
    std::map<std::size_t, std::size_t> place;
    for (const auto& [a, b] : pairs) place[a], place[b];
    std::vector<std::size_t> samples;
    for (auto& [sample, at] : place) at = samples.size(), samples.push_back(sample);
    std::vector<Pattern> patterns(samples.size());
    data::for_each_number(static_cast<std::int64_t>(samples.size()), static_cast<unsigned>(std::max(0, threads)),
                          [&](std::int64_t i) {
                            const auto at = static_cast<std::size_t>(i);
                            patterns[at] = pattern_of(pictures[samples[at]]);
                          });
    std::vector<bool> out;
    for (const auto& [a, b] : pairs) out.push_back(correlation(patterns[place[a]], patterns[place[b]]) >= alike);
    return out;
  };
}

}  // namespace moblo::lab::clean
