#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moblo::records {

/// One writer per folder, held through the file `.lock` in it. The operating system drops it with the process, however
/// that ends, so what a killed process leaves behind locks nobody out.
class FolderLock {
 public:
  /// Makes the folder where it is missing. Throws Error(config) naming the process that holds it, Error(io) where there
  /// can be no folder or no lock.
  explicit FolderLock(std::filesystem::path folder);
  /// A folder that this made and that is still empty goes too: a run that was refused leaves nothing behind.
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Whether somebody holds the folder's lock now.
  static bool is_held(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;  // deepest last
  int file_ = -1;
};

}  // namespace moblo::records
