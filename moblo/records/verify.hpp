#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moblo::records {

enum class FileState {
  good,
  unprotected,  ///< readable, but of a version that wrote no checksum for it
  damaged
};

struct CheckedFile {
  std::string name;  ///< below its folder
  FileState state = FileState::good;
  std::string reason;  ///< of damage, in words
};

struct CheckedFolder {
  std::filesystem::path folder;
  std::vector<CheckedFile> files;
  bool is_written = false;  ///< a process holds its lock

  bool sound() const;
};

/// Looks at everything that a run has written: documents and their checksums, every line of the records and their
/// digests, checkpoints, models, samples, TensorBoard's files. Changes nothing.
CheckedFolder check_run(const std::filesystem::path& folder);

/// A document of the program's own, such as experiment.json.
CheckedFile check_document(const std::filesystem::path& folder, const std::string& name);

}  // namespace moblo::records
