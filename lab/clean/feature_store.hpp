#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace moblo::lab::clean {

/// Features of image files by the SHA-256 of the files, on the disk: what was made once for one set of weights is never
/// made again, whichever dataset an image is in. 256 files, each with a checksum and replaced as a whole; a damaged one
/// counts for nothing, with a note.
class FeatureStore {
 public:
  using Rows = std::map<std::string, std::vector<float>>;  ///< by digest

  FeatureStore(std::filesystem::path folder, std::int64_t width) : folder_(std::move(folder)), width_(width) {}

  /// Which of the files an image belongs to.
  static std::string shelf(const std::string& digest) { return digest.substr(0, 2); }

  Rows read(const std::string& shelf, std::vector<std::string>& notes) const;
  /// A store that cannot be written only costs time: the notes tell.
  void write(const std::string& shelf, const Rows& rows, std::vector<std::string>& notes) const;

 private:
  std::filesystem::path file_of(const std::string& shelf) const { return folder_ / (shelf + ".safetensors"); }

  std::filesystem::path folder_;
  std::int64_t width_;
};

}  // namespace moblo::lab::clean
