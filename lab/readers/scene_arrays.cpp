#include <fmt/format.h>

#include <cmath>

#include "lab/data/npy.hpp"
#include "lab/readers/scene_source.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

/// Height x width (x channels) floats.
struct Grid {
  std::int64_t height = 0, width = 0;
  std::vector<Plane> planes;
};

Grid load(const fs::path& file, std::int64_t channels) {
  const data::NpyArray array = data::read_npy(file);
  const bool flat = channels == 1 && array.shape.size() == 2;
  if (!flat && (array.shape.size() != 3 || array.shape[2] != channels)) {
    throw Error(ErrorKind::data, file.string(), fmt::format("is not an array of height x width x {}", channels),
                "Save it with the channels last");
  }
  data::Problems problems(file.string());
  const std::vector<float> values = data::npy_floats(array, problems);
  problems.refuse_if_any("Save finite numbers");
  Grid grid{array.shape[0], array.shape[1], {}};
  const auto step = static_cast<std::size_t>(channels);
  for (std::size_t channel = 0; channel < step; ++channel) {
    auto& plane = grid.planes.emplace_back(Plane{grid.height, grid.width, {}});
    plane.values.reserve(values.size() / step);
    for (std::size_t i = channel; i < values.size(); i += step) plane.values.push_back(values[i]);
  }
  return grid;
}

Grid load_like(const fs::path& file, std::int64_t channels, const Grid& image) {
  Grid grid = load(file, channels);
  if (grid.height == image.height && grid.width == image.width) return grid;
  throw Error(ErrorKind::data, file.string(),
              fmt::format("has {} x {} pixels, its image {} x {}", grid.width, grid.height, image.width, image.height),
              "Save all four arrays of a scene in one size");
}

std::int32_t label_of(float value, const fs::path& file, std::size_t pixel) {
  const float rounded = std::round(value);
  if (rounded == value && value >= -1 && value < Scenes::classes) return static_cast<std::int32_t>(value);
  throw Error(
      ErrorKind::data, file.string(),
      fmt::format("pixel {}: {} is none of the classes 0 to {}, nor -1 for void", pixel, value, Scenes::classes - 1),
      "Fix the array");
}

class SceneArrays : public SceneSource {
 public:
  explicit SceneArrays(fs::path folder) : folder_(std::move(folder)) {
    std::error_code problem;
    normals_ = fs::is_directory(folder_ / "normal", problem);
    while (fs::exists(folder_ / "image" / fmt::format("{}.npy", count_), problem)) ++count_;
    data::Problems problems(folder_.string());
    for (std::int64_t i = 0; i < count_; ++i) {
      for (const auto& file : files(i)) {
        if (!fs::exists(file, problem)) problems.add(fmt::format("{} does not exist", file.string()));
      }
    }
    problems.refuse_if_any("Every scene needs its image, label and depth, and all or none a normal");
  }

  std::int64_t count() const override { return count_; }
  std::string place() const override { return folder_.string(); }
  std::string layout() const override { return "npy arrays"; }

  std::vector<fs::path> files(std::int64_t scene) const override {
    const std::string name = fmt::format("{}.npy", scene);
    std::vector<fs::path> all{folder_ / "image" / name, folder_ / "depth" / name, folder_ / "label" / name};
    if (normals_) all.push_back(folder_ / "normal" / name);
    return all;
  }

  RawScene read(std::int64_t scene) const override {
    const auto paths = files(scene);
    Grid image = load(paths[0], 3), depth = load_like(paths[1], 1, image);
    const Grid labels = load_like(paths[2], 1, image);
    RawScene raw;
    std::move(image.planes.begin(), image.planes.end(), raw.image.begin());
    raw.depth = std::move(depth.planes[0]);
    const auto& classes = labels.planes[0].values;
    for (std::size_t i = 0; i < classes.size(); ++i) raw.labels.push_back(label_of(classes[i], paths[2], i));
    if (normals_) raw.normals = load_like(paths[3], 3, image).planes;
    return raw;
  }

 private:
  fs::path folder_;
  bool normals_ = false;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<SceneSource> open_scene_arrays(const fs::path& folder) {
  return std::make_unique<SceneArrays>(folder);
}

}  // namespace moblo::lab::readers
