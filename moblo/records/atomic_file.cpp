#include "moblo/records/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

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
  Descriptor(const std::filesystem::path& path, int flags) : path_(path), value_(::open(path.c_str(), flags, 0666)) {
    if (value_ < 0) throw io_error(path, "cannot be opened", errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto written = ::write(value_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw io_error(path_, "cannot be written", errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  /// Pipes and devices cannot be synced (EINVAL); there is nothing to lose on them either.
  void sync() {
    if (::fsync(value_) != 0 && errno != EINVAL && errno != ENOTSUP) {
      throw io_error(path_, "cannot be brought to the disk", errno);
    }
  }

  /// Some file systems (NFS, quotas) report a failed write only here.
  void close() {
    const int closed = ::close(value_);
    value_ = -1;
    if (closed != 0) throw io_error(path_, "cannot be written", errno);
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

void write_and_sync(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& pieces) {
  Descriptor out(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  for (const auto& piece : pieces) out.write(piece);
  out.sync();
  out.close();
}

}  // namespace

Error io_error(const std::filesystem::path& path, const std::string& action, int reason) {
  return Error(ErrorKind::io, path.string(), fmt::format("{}: {}", action, std::generic_category().message(reason)),
               advice(reason));
}

void write_atomically(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& pieces) {
  const auto temporary = temporary_beside(file);
  try {
    write_and_sync(temporary, pieces);
    if (::rename(temporary.c_str(), file.c_str()) != 0) throw io_error(file, "cannot be replaced", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_to_disk(folder_of(file));
}

void sync_to_disk(const std::filesystem::path& file_or_folder) {
  Descriptor(file_or_folder, O_RDONLY | O_CLOEXEC).sync();
}

void write_text_atomically(const std::filesystem::path& file, const std::string& text) {
  write_atomically(file, {std::as_bytes(std::span(text))});
}

}  // namespace moblo::records
