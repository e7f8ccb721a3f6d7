#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/data/npy.hpp"

namespace moblo::lab::readers {

/// The arrays of an npz file by name, without ".npy".
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  /// The first of the candidates that is there, or "".
  std::string find(const std::vector<std::string>& candidates) const;
  data::NpyArray read(const std::string& array) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Archive;
  std::string file_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<Archive> archive_;
  std::vector<std::string> names_;
};

}  // namespace moblo::lab::readers
