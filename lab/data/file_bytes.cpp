#include "lab/data/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t piece = 1 << 18;

struct CloseGz {
  void operator()(gzFile file) const { gzclose_r(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

struct OpenedFile {
  GzFile content;  ///< zlib passes files through that are not compressed
  std::uint64_t bytes = 0;
};

OpenedFile open_checked(const fs::path& file) {
  refuse_unless_file(file);
  // O_NONBLOCK: should a pipe have taken the file's place, it is not waited for
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found {};
  GzFile opened(descriptor >= 0 && ::fstat(descriptor, &found) == 0 ? gzdopen(descriptor, "rb") : nullptr);
  if (opened && S_ISREG(found.st_mode)) return {std::move(opened), static_cast<std::uint64_t>(found.st_size)};
  const int reason = errno;
  if (!opened && descriptor >= 0) ::close(descriptor);
  throw Error(ErrorKind::io, file.string(), fmt::format("cannot be opened: {}", std::strerror(reason)),
              "Check its permissions");
}

[[noreturn]] void refuse_damaged(const fs::path& file, const std::string& reason) {
  throw Error(ErrorKind::data, file.string(), fmt::format("is damaged or cut short ({})", reason), "Get it again");
}

[[noreturn]] void refuse_bomb(const fs::path& file, std::uint64_t packed, std::uint64_t most) {
  throw Error(ErrorKind::data, file.string(),
              fmt::format("its {} bytes become more than {} MB when they are decompressed", packed, most >> 20),
              "If that is right, decompress it with gunzip and give the result");
}

std::string reason_of(gzFile file) {
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  if (code == Z_ERRNO) return std::strerror(errno);
  return text && *text ? text : "zlib gave no reason";
}

}  // namespace

void refuse_unless_file(const fs::path& file) {
  std::error_code problem;
  const auto status = fs::status(file, problem);
  if (fs::is_regular_file(status)) return;
  const char* rule = fs::exists(status)                                    ? "is not a regular file"
                     : problem == std::errc::filename_too_long             ? "is longer than a file's name can be"
                     : problem == std::errc::too_many_symbolic_link_levels ? "is a link to itself"
                                                                           : "does not exist";
  throw Error(ErrorKind::data, file.string(), rule, "Check the name");
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code problem;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    entries.push_back(at->path());
  }
  if (problem) {
    throw Error(ErrorKind::io, folder.string(), fmt::format("cannot be listed: {}", problem.message()),
                "Check its permissions");
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

struct FilePieces::Opened {
  fs::path name;
  gzFile content = nullptr;
  std::uint64_t bytes = 0;
  bool compressed = false;
  std::uint64_t most = 0, unpacked = 0;
  ~Opened() {
    if (content) gzclose_r(content);
  }
};

FilePieces::FilePieces(const fs::path& file) : opened_(std::make_unique<Opened>()) {
  auto found = open_checked(file);
  opened_->name = file;
  opened_->content = found.content.release();
  opened_->bytes = found.bytes;
  opened_->compressed = gzdirect(opened_->content) == 0;
  opened_->most = opened_->compressed ? most_unpacked(opened_->bytes) : std::numeric_limits<std::uint64_t>::max();
}

FilePieces::~FilePieces() = default;

bool FilePieces::compressed() const {
  return opened_->compressed;
}

std::uint64_t FilePieces::packed() const {
  return opened_->bytes;
}

std::size_t FilePieces::read(std::span<std::uint8_t> to) {
  const auto content = opened_->content;
  const int got = gzread(content, to.data(), static_cast<unsigned>(to.size()));
  if (got < 0) refuse_damaged(opened_->name, reason_of(content));
  const auto count = static_cast<std::size_t>(got);
  opened_->unpacked += count;
  if (count == to.size() && opened_->unpacked > opened_->most) {
    refuse_bomb(opened_->name, packed(), opened_->most);
  }
  int code = Z_OK;
  gzerror(content, &code);  // a compressed stream that ends early is no error of gzread itself
  if (count < to.size() && code != Z_OK && code != Z_STREAM_END) refuse_damaged(opened_->name, reason_of(content));
  return count;
}

Bytes read_file_bytes(const fs::path& file, std::uint64_t limit,
                      const std::function<std::uint64_t(const Bytes&)>& limit_from) {
  FilePieces pieces(file);
  std::uint64_t next = pieces.compressed() ? piece : std::min(piece, pieces.packed() + 1);
  Bytes bytes;
  bool first = true;
  while (bytes.size() <= limit) {
    const std::uint64_t wanted = std::min(next, limit + 1 - bytes.size());
    const std::size_t have = bytes.size();
    bytes.resize(have + wanted);
    const std::size_t got = pieces.read(std::span(bytes).subspan(have));
    bytes.resize(have + got);
    if (got < wanted) break;
    if (std::exchange(first, false) && limit_from) limit = std::min(limit, limit_from(bytes));
    next = piece;
  }
  return bytes;
}

}  // namespace moblo::lab::data
