#include "lab/readers/listed_pictures.hpp"
#include "lab/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lab/data/csv.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/parallel.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/array_cache.hpp"
#include "lab/readers/resample.hpp"
#include "lab/readers/samples.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::int64_t row;
  fs::path file;
  std::int64_t label;
};

std::vector<Entry> parse_list(const fs::path& list, const fs::path& root, int classes) {
  const data::TextFile content(list);
  data::Problems problems(list.string());
  std::vector<Entry> entries;
  for (const auto& [row, line] : lines_of(content.text())) {
    const std::string_view text = data::trimmed(line);
    if (text.empty()) continue;
    const std::size_t blank = text.find_last_of(" \t");  // a path may hold blanks
    std::int64_t label = 0;
    if (blank == text.npos || !parse_whole(text.substr(blank + 1), label)) {
      problems.add(fmt::format("row {}: {} is not a 'path label'", row, data::in_quotes(text)));
    } else if (label < 0 || label >= classes) {
      problems.add(fmt::format("row {}: label {} is none of the classes 0 to {}", row, label, classes - 1));
    } else {
      entries.push_back({row, root / data::trimmed(text.substr(0, blank)), label});
    }
  }
  problems.refuse_if_any("Write one 'path label' line per image");
  if (entries.empty()) throw Error(ErrorKind::data, list.string(), "lists no image", "Write 'path label' lines");
  return entries;
}

/// Calls `use` with the content of every image file, on all cores; names those that cannot be read, or that `use`
/// returns a reason for.
void for_each_file(const std::vector<Entry>& entries, const std::string& list, unsigned threads,
                   const std::function<std::string(std::size_t, const data::Bytes&)>& use) {
  std::vector<std::string> wrong(entries.size());
  data::for_each_number(static_cast<std::int64_t>(entries.size()), threads, [&](std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    try {
      const std::string why = use(i, data::read_file_bytes(entries[i].file, largest_image_file));
      if (!why.empty()) wrong[i] = fmt::format("{} {}", entries[i].file.string(), why);
    } catch (const Error& error) {
      wrong[i] = error.what();
    }
  });
  data::Problems problems(list);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!wrong[i].empty()) problems.add(fmt::format("row {}: {}", entries[i].row, wrong[i]));
  }
  problems.refuse_if_any("Get these images again, or take their lines out");
}

std::string digest_of_files(const fs::path& list, const std::vector<Entry>& entries, unsigned threads) {
  std::vector<std::string> digests(entries.size());
  for_each_file(entries, list.string(), threads, [&](std::size_t i, const data::Bytes& content) {
    digests[i] = fmt::format("{} {}\n", data::sha256(content), entries[i].label);
    return std::string();
  });
  const std::string all = base::join(digests, "");
  return data::sha256(std::string_view(all));
}

data::Bytes decode_all(const fs::path& list, const std::vector<Entry>& entries, std::int64_t side, unsigned threads) {
  const auto an_image = static_cast<std::size_t>(side * side * 3);
  data::Bytes pixels(entries.size() * an_image);
  for_each_file(entries, list.string(), threads, [&](std::size_t i, const data::Bytes& content) {
    std::string why;
    const auto picture = decode_picture(content, /*side=*/0, why);  // the whole: a reduced JPEG has other pixels
    if (!picture) return why;
    const Picture brought = resampled(with_channels(*picture, 3), side, side);
    std::copy(brought.pixels.begin(), brought.pixels.end(), pixels.begin() + static_cast<std::ptrdiff_t>(i * an_image));
    return std::string();
  });
  return pixels;
}

}  // namespace

LabelledPictures read_listed_pictures(const fs::path& list, const fs::path& root, const ListedPicturesOptions& options,
                                      std::vector<std::string>& notes) {
  const auto entries = parse_list(list, root, options.classes);
  const std::int64_t side = options.side, count = static_cast<std::int64_t>(entries.size());
  if (side < 1 || static_cast<std::uint64_t>(count * side) > data::most_values / static_cast<std::uint64_t>(3 * side)) {
    throw Error(ErrorKind::data, list.string(),
                fmt::format("{} images of {} pixels per side cannot be held", count, side), "Ask for another size");
  }
  LabelledPictures pictures{count, side, {}, {}, digest_of_files(list, entries, options.threads)};
  for (const auto& entry : entries) pictures.labels.push_back(entry.label);
  const auto decode = [&] { return decode_all(list, entries, side, options.threads); };
  if (!options.cache) {
    pictures.pixels = decode();
    return pictures;
  }
  const ArrayLayout layout{"pixels", "U8", {count, side, side, 3}};
  const ArrayCache cache(options.cache_folder.empty() ? ArrayCache::default_folder() : options.cache_folder);
  const Json key{{"what", "decoded pictures"}, {"files", pictures.sha256}, {"side", side}};
  const auto kept = cache.get(
      "pictures", key, {layout}, [&] { return std::vector{stored_array(layout, decode())}; }, notes);
  pictures.pixels = array_values<std::uint8_t>(kept[0]);
  return pictures;
}

const std::vector<std::string>& office31_domains() {
  static const std::vector<std::string> domains{"amazon", "dslr", "webcam"};
  return domains;
}

LabelledPictures read_office31(const fs::path& folder, const std::string& domain, const std::string& part,
                               const ListedPicturesOptions& options, std::vector<std::string>& notes) {
  const auto refuse_unknown = [](const std::string& what, const std::string& name,
                                 const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    throw Error(ErrorKind::data, fmt::format("{} \"{}\" of Office-31", what, name), "there is no such " + what,
                base::suggestion(name, known));
  };
  refuse_unknown("domain", domain, office31_domains());
  refuse_unknown("part", part, {"train", "val", "test"});
  return read_listed_pictures(folder / "split" / fmt::format("{}_{}.txt", domain, part), folder, options, notes);
}

void normalise_pixels(std::span<const std::uint8_t> pixels, std::span<float> planes) {
  if (pixels.size() != planes.size() || pixels.size() % 3 != 0) {
    throw Error(ErrorKind::data, fmt::format("{} bytes for {} values", pixels.size(), planes.size()),
                "pixels and planes must be as many, and three per pixel", "");
  }
  const std::size_t area = pixels.size() / 3;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const float mean = imagenet_mean[channel], deviation = imagenet_deviation[channel];
    for (std::size_t i = 0; i < area; ++i) {
      planes[channel * area + i] = (static_cast<float>(pixels[3 * i + channel]) / 255 - mean) / deviation;
    }
  }
}

Json describe(const LabelledPictures& pictures) {
  return {{"images", pictures.count}, {"side", pictures.side}, {"sha256", pictures.sha256}};
}

}  // namespace moblo::lab::readers
