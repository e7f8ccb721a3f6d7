#include "moblo/records/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/files.hpp"
#include "moblo/records/atomic_file.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

fs::path lock_file(const fs::path& folder) {
  return folder / ".lock";
}

/// The folders that were missing, outermost first.
std::vector<fs::path> make_missing_folders(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> made;
  for (fs::path at = fs::absolute(folder, failure).lexically_normal(); !at.empty() && !fs::exists(at, failure);
       at = at.parent_path()) {
    if (at.has_filename()) made.insert(made.begin(), at);
    if (at == at.parent_path()) break;
  }
  fs::create_directories(folder, failure);
  if (failure) throw io_error(folder, "cannot be created", failure.value());
  return made;
}

void remove_while_empty(const std::vector<fs::path>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (::rmdir(folder->c_str()) != 0) return;
  }
}

/// What the holder wrote about itself; the text may be missing where it has only just begun.
std::string holder_of(const fs::path& file) {
  try {
    const auto text = base::read_file(file, ErrorKind::io, base::FileKind::regular, 4096);
    if (!text.empty()) return text.substr(0, text.find('\n'));
  } catch (const Error&) {
  }
  return "another process";
}

void introduce(int file) {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const auto text = fmt::format("process {} on {} since {}\n", ::getpid(), host, base::utc_now());
  // For people only: the lock holds without it, on a full disk too.
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

/// Whoever unlinks the file holds it, so a file that has no name any more is nobody's lock.
bool is_still_there(int file, const fs::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

[[noreturn]] void refuse_held(const fs::path& folder) {
  throw Error(ErrorKind::config, folder.string(), fmt::format("is being written by {}", holder_of(lock_file(folder))),
              "Wait until it has ended, or choose another --out");
}

[[noreturn]] void refuse_unlockable(const fs::path& folder, int reason) {
  throw Error(ErrorKind::io, folder.string(),
              fmt::format("cannot be locked: {}", std::generic_category().message(reason)),
              "Choose a folder on another file system, or set MOBLO_NO_LOCK=1 if nobody else writes there");
}

/// Of the open file, not of the process: two threads exclude each other too, and one may look without taking it.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// 0, or the reason why not.
int try_to_lock(int file) {
  auto lock = whole_file();
  while (::fcntl(file, F_OFD_SETLK, &lock) != 0) {
    if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
  }
  return 0;
}

/// Its last holder may have taken the empty folder away, so it is made again.
int open_lock_file(const fs::path& folder) {
  const auto path = lock_file(folder);
  for (int again = 100;; --again) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file >= 0) return file;
    if (errno == EINTR) continue;
    if (errno != ENOENT || again == 0) throw io_error(path, "cannot be opened", errno);
    std::error_code told_by_the_next_try;
    fs::create_directories(folder, told_by_the_next_try);
  }
}

/// -1 where the user has switched locks off.
int locked_file(const fs::path& folder) {
  if (const char* off = std::getenv("MOBLO_NO_LOCK"); off && std::string_view(off) == "1") return -1;
  while (true) {
    const int file = open_lock_file(folder);
    const int reason = try_to_lock(file);
    if (reason == 0 && is_still_there(file, lock_file(folder))) {
      introduce(file);
      return file;
    }
    ::close(file);
    if (reason == EAGAIN) refuse_held(folder);
    if (reason != 0) refuse_unlockable(folder, reason);
  }
}

}  // namespace

FolderLock::FolderLock(fs::path folder) : folder_(std::move(folder)), made_(make_missing_folders(folder_)) {
  try {
    file_ = locked_file(folder_);
  } catch (...) {
    remove_while_empty(made_);
    throw;
  }
}

bool FolderLock::is_held(const fs::path& folder) {
  const int file = ::open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  auto lock = whole_file();
  const bool held = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(file);
  return held;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)), made_(std::move(other.made_)), file_(std::exchange(other.file_, -1)) {
  other.made_.clear();
}

FolderLock::~FolderLock() {
  if (file_ >= 0) {
    ::unlink(lock_file(folder_).c_str());
    ::close(file_);
  }
  remove_while_empty(made_);
}

}  // namespace moblo::records
