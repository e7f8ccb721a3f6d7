#include "lab/readers/scenes.hpp"
#include "lab/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/data/digest.hpp"
#include "lab/data/parallel.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/array_cache.hpp"
#include "lab/readers/samples.hpp"
#include "lab/readers/scene_source.hpp"
#include "lab/readers/surface_normals.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<SceneSource> open_source(const fs::path& folder, ScenesPart part) {
  const bool train = part == ScenesPart::train;
  const fs::path list = folder / (train ? "train.txt" : "test.txt"), arrays = folder / (train ? "train" : "val");
  std::error_code ignored;
  if (fs::exists(list, ignored)) return open_scene_triples(folder, list);
  if (fs::exists(arrays / "image", ignored)) return open_scene_arrays(arrays);
  throw Error(ErrorKind::data, folder.string(),
              fmt::format("holds neither {} nor {}", list.filename().string(), (arrays.filename() / "image").string()),
              "Name the folder of NYUv2; docs/data_formats.md shows both layouts");
}

/// Calls `work` with every scene, on all cores; all that fail are named.
void for_each_scene(const SceneSource& source, unsigned threads, const std::function<void(std::int64_t)>& work) {
  std::vector<std::string> wrong(static_cast<std::size_t>(source.count()));
  data::for_each_number(source.count(), threads, [&](std::int64_t scene) {
    try {
      work(scene);
    } catch (const Error& error) {
      wrong[static_cast<std::size_t>(scene)] = error.what();
    }
  });
  data::Problems problems(source.place());
  for (const auto& what : wrong) {
    if (!what.empty()) problems.add(what);
  }
  problems.refuse_if_any("Fix these files or take the scenes out");
}

std::string digest_of_files(const SceneSource& source, unsigned threads) {
  std::vector<std::string> digests(static_cast<std::size_t>(source.count()));
  for_each_scene(source, threads, [&](std::int64_t scene) {
    for (const auto& file : source.files(scene)) {
      digests[static_cast<std::size_t>(scene)] += data::sha256_of_file(file) + "\n";
    }
  });
  const std::string all = base::join(digests, "");
  return data::sha256(std::string_view(all));
}

template <class T>
void pick(const std::vector<T>& from, std::int64_t width, const std::vector<std::int64_t>& rows,
          const std::vector<std::int64_t>& columns, T* to) {
  for (const auto row : rows) {
    for (const auto column : columns) *to++ = from[static_cast<std::size_t>(row * width + column)];
  }
}

/// Unit length, or zero where there is none.
void normalise(float* x, float* y, float* z, std::int64_t pixels) {
  for (std::int64_t i = 0; i < pixels; ++i) {
    const float length = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    for (float* plane : {x, y, z}) plane[i] = length > 1e-6F ? plane[i] / length : 0;
  }
}

class SceneFiller {
 public:
  SceneFiller(const ScenesOptions& options, Scenes& scenes) : options_(options), scenes_(scenes) {}

  void fill(std::int64_t scene, const RawScene& raw) const {
    const std::int64_t pixels = scenes_.height * scenes_.width, width = raw.depth.width;
    const auto rows = nearest_pixels(raw.depth.height, scenes_.height), columns = nearest_pixels(width, scenes_.width);
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const Plane brought = resampled(raw.image[static_cast<std::size_t>(channel)], scenes_.height, scenes_.width);
      std::copy(brought.values.begin(), brought.values.end(), scenes_.images.begin() + (3 * scene + channel) * pixels);
    }
    pick(raw.labels, width, rows, columns, scenes_.labels.data() + scene * pixels);
    pick(raw.depth.values, width, rows, columns, scenes_.depths.data() + scene * pixels);
    float* normals = scenes_.normals.data() + 3 * scene * pixels;
    if (raw.normals.empty()) {
      const Camera camera = kinect_for(raw.depth.height, width, options_.mirrored);
      const auto derived = normals_from_depth(raw.depth, camera, rows, columns);
      for (std::size_t i = 0; i < 3; ++i) std::copy(derived[i].begin(), derived[i].end(), normals + i * pixels);
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) pick(raw.normals[i].values, width, rows, columns, normals + i * pixels);
    normalise(normals, normals + pixels, normals + 2 * pixels, pixels);
  }

 private:
  const ScenesOptions& options_;
  Scenes& scenes_;
};

void read_all(const SceneSource& source, const ScenesOptions& options, Scenes& scenes) {
  const auto pixels = static_cast<std::size_t>(scenes.count * scenes.height * scenes.width);
  scenes.images.resize(3 * pixels);
  scenes.labels.resize(pixels);
  scenes.depths.resize(pixels);
  scenes.normals.resize(3 * pixels);
  const SceneFiller filler(options, scenes);
  for_each_scene(source, options.threads, [&](std::int64_t scene) { filler.fill(scene, source.read(scene)); });
}

std::vector<ArrayLayout> layout_of(const Scenes& s) {
  return {{"images", "F32", {s.count, 3, s.height, s.width}},
          {"labels", "I32", {s.count, s.height, s.width}},
          {"depths", "F32", {s.count, 1, s.height, s.width}},
          {"normals", "F32", {s.count, 3, s.height, s.width}}};
}

}  // namespace

Scenes read_scenes(const fs::path& folder, ScenesPart part, const ScenesOptions& options,
                   std::vector<std::string>& notes) {
  const auto source = open_source(folder, part);
  if (source->count() == 0) throw Error(ErrorKind::data, source->place(), "holds no scene", "Name another folder");
  if (options.height < 1 || options.width < 1 ||
      static_cast<std::uint64_t>(source->count() * options.height) >
          data::most_values / 3 / static_cast<std::uint64_t>(options.width)) {
    throw Error(
        ErrorKind::data, source->place(),
        fmt::format("{} scenes of {} x {} pixels cannot be held", source->count(), options.width, options.height),
        "Ask for another size");
  }
  Scenes scenes;
  scenes.count = source->count();
  scenes.height = options.height;
  scenes.width = options.width;
  const bool derived = source->files(0).size() == 3;
  scenes.provenance = {{"layout", source->layout()},
                       {"scenes", scenes.count},
                       {"size", {scenes.height, scenes.width}},
                       {"normals", derived ? "derived from the depths" : "given"},
                       {"mirrored", options.mirrored},
                       {"sha256", digest_of_files(*source, options.threads)}};
  if (!options.cache) {
    read_all(*source, options, scenes);
    return scenes;
  }
  const ArrayCache cache(options.cache_folder.empty() ? ArrayCache::default_folder() : options.cache_folder);
  Json key = scenes.provenance;
  key["version"] = 1;  // of what is derived from the files
  const auto layout = layout_of(scenes);
  const auto kept = cache.get(
      "scenes", key, layout,
      [&] {
        read_all(*source, options, scenes);
        return std::vector{stored_array(layout[0], scenes.images), stored_array(layout[1], scenes.labels),
                           stored_array(layout[2], scenes.depths), stored_array(layout[3], scenes.normals)};
      },
      notes);
  scenes.images = array_values<float>(kept[0]);
  scenes.labels = array_values<std::int32_t>(kept[1]);
  scenes.depths = array_values<float>(kept[2]);
  scenes.normals = array_values<float>(kept[3]);
  return scenes;
}

}  // namespace moblo::lab::readers
