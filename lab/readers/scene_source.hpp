#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/readers/resample.hpp"
#include "lab/readers/scenes.hpp"

namespace moblo::lab::readers {

/// One scene as its files hold it, before it is brought to a size.
struct RawScene {
  std::array<Plane, 3> image;        ///< in [0, 1]
  std::vector<std::int32_t> labels;  ///< of the size of the depth
  Plane depth;
  std::vector<Plane> normals;  ///< three, or none where there are no such files
};

/// The scenes of one part in one of the layouts. Everything that is refused is an Error(data) that names the file.
class SceneSource {
 public:
  virtual ~SceneSource() = default;
  virtual std::int64_t count() const = 0;
  virtual std::vector<std::filesystem::path> files(std::int64_t scene) const = 0;
  virtual RawScene read(std::int64_t scene) const = 0;
  virtual std::string place() const = 0;  ///< the list or the folder, for messages
  virtual std::string layout() const = 0;
};

/// `image/ID.jpg`, `depth/ID.png`, `label13/ID.png` for the ids of `list`.
std::unique_ptr<SceneSource> open_scene_triples(const std::filesystem::path& folder, const std::filesystem::path& list);

/// `{image,label,depth,normal}/{i}.npy`; the folder of normals may be missing.
std::unique_ptr<SceneSource> open_scene_arrays(const std::filesystem::path& folder);

}  // namespace moblo::lab::readers
