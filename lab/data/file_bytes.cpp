#include "lab/data/file_bytes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

/// gzopen passes files through that are not compressed.
GzFile open_checked(const fs::path& file) {
  std::error_code problem;
  if (!fs::is_regular_file(file, problem)) {  // a pipe would be waited for, a folder cannot be read
    throw Error(ErrorKind::data, file.string(), fs::exists(file) ? "is not a regular file" : "does not exist",
                "Check the name");
  }
  errno = 0;
  GzFile opened(gzopen(file.c_str(), "rb"));
  if (!opened) {
    throw Error(ErrorKind::io, file.string(), fmt::format("cannot be opened: {}", std::strerror(errno)),
                "Check its permissions");
  }
  return opened;
}

[[noreturn]] void refuse_damaged(const fs::path& file, const std::string& reason) {
  throw Error(ErrorKind::data, file.string(), fmt::format("is damaged or cut short ({})", reason), "Get it again");
}

std::string reason_of(gzFile file) {
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  if (code == Z_ERRNO) return std::strerror(errno);
  return text && *text ? text : "zlib gave no reason";
}

}  // namespace

Bytes read_file_bytes(const fs::path& file, std::uint64_t limit,
                      const std::function<std::uint64_t(const Bytes&)>& limit_from) {
  const GzFile opened = open_checked(file);
  Bytes bytes;
  bool first = true;
  while (bytes.size() <= limit) {
    const std::uint64_t wanted = std::min(piece, limit + 1 - bytes.size());
    const std::size_t have = bytes.size();
    bytes.resize(have + wanted);
    const int got = gzread(opened.get(), bytes.data() + have, static_cast<unsigned>(wanted));
    if (got < 0) refuse_damaged(file, reason_of(opened.get()));
    bytes.resize(have + static_cast<std::size_t>(got));
    if (static_cast<std::uint64_t>(got) < wanted) break;
    if (std::exchange(first, false) && limit_from) limit = std::min(limit, limit_from(bytes));
  }
  int code = Z_OK;
  gzerror(opened.get(), &code);  // a compressed stream that ends early is no error of gzread itself
  if (code != Z_OK && code != Z_STREAM_END) refuse_damaged(file, reason_of(opened.get()));
  return bytes;
}

}  // namespace moblo::lab::data
