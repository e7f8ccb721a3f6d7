#include <fmt/format.h>

#include "lab/data/csv.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/scene_source.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_scene_file = 1ULL << 26;
constexpr float metres_a_level = 10.0F / 255;

Picture load(const fs::path& file) {
  std::string why;
  auto picture = decode_picture(data::read_file_bytes(file, largest_scene_file), 0, why);
  if (!picture) throw Error(ErrorKind::data, file.string(), why, "Get it again");
  return std::move(*picture);
}

Picture load_grey(const fs::path& file, const Picture& image) {
  Picture picture = load(file);
  if (picture.channels != 1) throw Error(ErrorKind::data, file.string(), "is coloured; grey levels are needed", "");
  if (picture.height != image.height || picture.width != image.width) {
    throw Error(
        ErrorKind::data, file.string(),
        fmt::format("has {} x {} pixels, its image {} x {}", picture.width, picture.height, image.width, image.height),
        "Get it again");
  }
  return picture;
}

class SceneTriples : public SceneSource {
 public:
  SceneTriples(fs::path folder, const fs::path& list) : folder_(std::move(folder)), list_(list.string()) {
    const data::TextFile content(list);
    data::Problems problems(list_);
    for (const auto& [row, line] : lines_of(content.text())) {
      const auto words = words_of(line);
      if (words.empty()) continue;
      if (words.size() > 1) problems.add(fmt::format("row {}: {} is not an id", row, data::in_quotes(line)));
      ids_.emplace_back(words[0]);
      std::error_code ignored;
      for (const auto& file : files(count() - 1)) {
        if (!fs::exists(file, ignored)) problems.add(fmt::format("row {}: {} does not exist", row, file.string()));
      }
    }
    problems.refuse_if_any("Get the files, or take these lines out");
  }

  std::int64_t count() const override { return static_cast<std::int64_t>(ids_.size()); }
  std::string place() const override { return list_; }
  std::string layout() const override { return "image triples"; }

  std::vector<fs::path> files(std::int64_t scene) const override {
    const std::string& id = ids_[static_cast<std::size_t>(scene)];
    return {folder_ / "image" / (id + ".jpg"), folder_ / "depth" / (id + ".png"), folder_ / "label13" / (id + ".png")};
  }

  RawScene read(std::int64_t scene) const override {
    const auto paths = files(scene);
    const Picture image = with_channels(load(paths[0]), 3), depth = load_grey(paths[1], image),
                  labels = load_grey(paths[2], image);
    const std::size_t pixels = depth.pixels.size();
    RawScene raw;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      raw.image[channel] = {image.height, image.width, std::vector<float>(pixels)};
      for (std::size_t i = 0; i < pixels; ++i) {
        raw.image[channel].values[i] = static_cast<float>(image.pixels[3 * i + channel]) / 255;
      }
    }
    raw.depth = {image.height, image.width, std::vector<float>(pixels)};
    for (std::size_t i = 0; i < pixels; ++i) {
      raw.depth.values[i] = static_cast<float>(depth.pixels[i]) * metres_a_level;
      if (labels.pixels[i] > Scenes::classes) {
        throw Error(ErrorKind::data, paths[2].string(),
                    fmt::format("row {}, column {}: {} is none of the classes 1 to {}, nor 0 for void",
                                i / static_cast<std::size_t>(image.width), i % static_cast<std::size_t>(image.width),
                                labels.pixels[i], Scenes::classes),
                    "Get it again");
      }
      raw.labels.push_back(static_cast<std::int32_t>(labels.pixels[i]) - 1);
    }
    return raw;
  }

 private:
  fs::path folder_;
  std::string list_;
  std::vector<std::string> ids_;
};

}  // namespace

std::unique_ptr<SceneSource> open_scene_triples(const fs::path& folder, const fs::path& list) {
  return std::make_unique<SceneTriples>(folder, list);
}

}  // namespace moblo::lab::readers
