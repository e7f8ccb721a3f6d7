#include "moblo/records/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "moblo/records/tensor_file.hpp"

namespace moblo::records {
namespace {

std::string advice(int reason) {
  if (reason == ENOSPC || reason == EDQUOT) return "Free some space, or choose another folder with --out";
  if (reason == EACCES || reason == EPERM || reason == EROFS) {
    return "Change its permissions, or choose another folder with --out";
  }
  return "Check the path, or choose another folder with --out";
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : path_(path), value_(open_descriptor(path, flags)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(const std::vector<std::span<const std::byte>>& pieces) {
    for (auto piece : pieces) {
      while (!piece.empty()) piece = piece.subspan(write_some(value_, piece, path_));
    }
    sync();
  }
  void sync() { sync_descriptor(value_, path_); }

  /// Some file systems (NFS, quotas) report a failed write only here.
  void close() {
    const int closed = ::close(value_);
    value_ = -1;
    if (closed != 0 && errno != EINTR) throw io_error(path_, "cannot be written", errno);
  }

 private:
  const std::filesystem::path& path_;
  int value_;
};

/// The process id keeps two programs that write the same file from writing into one temporary.
std::filesystem::path temporary_beside(const std::filesystem::path& file) {
  auto temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  return temporary;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// What a chain of symbolic links leads to, whether it is there or not.
std::filesystem::path followed(std::filesystem::path file) {
  constexpr int longest_chain = 40;  // as the kernel has it
  std::error_code failure;
  for (int i = 0; i < longest_chain && std::filesystem::is_symlink(file, failure); ++i) {
    const auto target = std::filesystem::read_symlink(file, failure);
    if (failure) throw io_error(file, "cannot be followed", failure.value());
    file = target.is_absolute() ? target : folder_of(file) / target;
  }
  if (std::filesystem::is_symlink(file, failure)) throw io_error(file, "cannot be followed", ELOOP);
  return file;
}

/// A device, a pipe or a socket: a rename would put a plain file in its place.
bool is_special(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  return std::filesystem::is_other(status);
}

void replace(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& pieces) {
  const auto temporary = temporary_beside(file);
  try {
    Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    out.write(pieces);
    out.close();
    int renamed;
    do {
      renamed = ::rename(temporary.c_str(), file.c_str());
    } while (renamed != 0 && errno == EINTR);
    if (renamed != 0) throw io_error(file, "cannot be replaced", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_to_disk(folder_of(file));
}

}  // namespace

Error io_error(const std::filesystem::path& path, const std::string& action, int reason) {
  return Error(ErrorKind::io, path.string(), fmt::format("{}: {}", action, std::generic_category().message(reason)),
               advice(reason));
}

int open_descriptor(const std::filesystem::path& file, int flags) {
  int descriptor;
  do {
    descriptor = ::open(file.c_str(), flags, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw io_error(file, "cannot be opened", errno);
  return descriptor;
}

std::size_t write_some(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& file) {
  ssize_t written;
  do {
    written = ::write(descriptor, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) throw io_error(file, "cannot be written", errno);
  return static_cast<std::size_t>(written);
}

/// Pipes and devices cannot be synced (EINVAL); there is nothing to lose on them either.
void sync_descriptor(int descriptor, const std::filesystem::path& file) {
  int synced;
  do {
    synced = ::fsync(descriptor);
  } while (synced != 0 && errno == EINTR);
  if (synced != 0 && errno != EINVAL && errno != ENOTSUP) throw io_error(file, "cannot be brought to the disk", errno);
}

void write_atomically(const std::filesystem::path& named, const std::vector<std::span<const std::byte>>& pieces) {
  const auto file = followed(named);
  if (!is_special(file)) return replace(file, pieces);
  Descriptor out(file, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  out.write(pieces);
  out.close();
}

bool is_present(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_temporary(const std::filesystem::path& file) {
  const auto process = file.stem().extension().string();  // ".4711" of "model.safetensors.4711.tmp"
  return file.extension() == ".tmp" && process.size() > 1 &&
         std::all_of(process.begin() + 1, process.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void sync_to_disk(const std::filesystem::path& file_or_folder) {
  Descriptor(file_or_folder, O_RDONLY | O_CLOEXEC).sync();
}

void write_text_atomically(const std::filesystem::path& file, const std::string& text) {
  write_atomically(file, {std::as_bytes(std::span(text))});
}

}  // namespace moblo::records
