#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// Indoor scenes with three things to predict of each pixel, as NYUv2 has them. Plain arrays in the order of tensors.
struct Scenes {
  static constexpr int classes = 13;

  std::int64_t count = 0, height = 0, width = 0;
  std::vector<float> images;         ///< [count, 3, height, width], in [0, 1]
  std::vector<std::int32_t> labels;  ///< [count, height, width], 0 to 12; -1 = void
  std::vector<float> depths;         ///< [count, 1, height, width], metres; 0 = not measured
  std::vector<float> normals;        ///< [count, 3, height, width], unit vectors; zero vector = not known
  Json provenance = Json::object();  ///< layout, sizes, checksums; whether the normals are derived from the depths
};

struct ScenesOptions {
  std::int64_t height = 288, width = 384;
  bool mirrored = true;  ///< image triples: left and right are exchanged, which moves the camera's optical axis
  bool cache = true;     ///< keep what was read, brought to size and derived on disk
  std::filesystem::path cache_folder{};  ///< empty = ArrayCache::default_folder()
  unsigned threads = 0;                  ///< 0 = all cores. Decides nothing but time
};

enum class ScenesPart { train, test };

/// From `train.txt`, `test.txt` (an id per line), `image/ID.jpg`, `depth/ID.png`, `label13/ID.png`, or from
/// `{train,val}/{image,label,depth,normal}/{i}.npy`, whichever is there. Images are brought to the size by an
/// antialiased bilinear filter, the rest by the nearest pixel. Error(data) names files and lines, up to ten at once.
Scenes read_scenes(const std::filesystem::path& folder, ScenesPart part, const ScenesOptions& options,
                   std::vector<std::string>& notes);

}  // namespace moblo::lab::readers
