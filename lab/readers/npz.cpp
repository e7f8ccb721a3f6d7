#include <fmt/format.h>
#include <zip.h>

#include <algorithm>

#include "lab/data/npy.hpp"
#include "lab/readers/npz.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::int64_t most_members = 10000;
constexpr std::size_t piece = 1 << 18;

[[noreturn]] void refuse(const std::string& name, const std::string& rule) {
  throw Error(ErrorKind::data, name, rule, "Save it again with numpy.savez");
}

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Member = std::unique_ptr<zip_file_t, CloseMember>;

/// Grows in steps with what is really there and stops one byte past what the array's own header claims; what the
/// archive says of sizes is not trusted. The end of a member must be met: its checksum is compared there.
data::Bytes read_member(zip_file_t* member, std::uint64_t step, std::uint64_t most, const std::string& name) {
  data::Bytes bytes;
  std::uint64_t limit = piece;
  bool known = false;
  while (bytes.size() <= limit) {
    const std::size_t have = bytes.size();
    bytes.resize(have + std::min<std::uint64_t>(step, limit + 1 - have));
    const std::int64_t got = zip_fread(member, bytes.data() + have, bytes.size() - have);
    if (got < 0) refuse(name, fmt::format("is damaged ({})", zip_error_strerror(zip_file_get_error(member))));
    bytes.resize(have + static_cast<std::size_t>(got));
    if (got == 0) break;
    if (!known && (bytes.size() >= piece)) {
      limit = data::npy_length(bytes, name);
      known = true;
      if (limit > most) {
        refuse(name, fmt::format("claims {} MB, of which at most {} MB can be right in so short an archive",
                                 limit >> 20, most >> 20));
      }
    }
  }
  return bytes;
}

}  // namespace

struct NpzFile::Archive {
  zip_t* zip = nullptr;
  ~Archive() {
    if (zip) zip_discard(zip);
  }
};

NpzFile::NpzFile(const std::filesystem::path& file) : file_(file.string()), archive_(std::make_unique<Archive>()) {
  data::refuse_unless_file(file);
  std::error_code ignored;
  bytes_ = std::filesystem::file_size(file, ignored);
  int code = 0;
  archive_->zip = zip_open(file.c_str(), ZIP_RDONLY, &code);
  if (!archive_->zip) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    refuse(file_, fmt::format("cannot be opened as an npz archive ({})", reason));
  }
  const std::int64_t members = zip_get_num_entries(archive_->zip, 0);
  if (members > most_members) refuse(file_, fmt::format("has {} members: it is not a file of arrays", members));
  for (std::int64_t i = 0; i < members; ++i) {
    const char* raw = zip_get_name(archive_->zip, static_cast<std::uint64_t>(i), ZIP_FL_ENC_GUESS);
    std::string name = raw ? raw : "";
    if (name.ends_with(".npy")) names_.push_back(name.substr(0, name.size() - 4));
  }
}

NpzFile::~NpzFile() = default;

std::string NpzFile::find(const std::vector<std::string>& candidates) const {
  for (const auto& name : candidates) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return name;
  }
  return "";
}

data::NpyArray NpzFile::read(const std::string& array) const {
  const std::string name = fmt::format("{} in {}", array, file_);
  const Member member(zip_fopen(archive_->zip, (array + ".npy").c_str(), 0));
  if (!member) refuse(name, fmt::format("cannot be opened ({})", zip_strerror(archive_->zip)));
  zip_stat_t entry;
  const bool told =
      zip_stat(archive_->zip, (array + ".npy").c_str(), 0, &entry) == 0 && entry.valid & ZIP_STAT_COMP_SIZE;
  const std::uint64_t packed = told ? std::min<std::uint64_t>(entry.comp_size, bytes_) : bytes_;
  const std::uint64_t step = std::clamp<std::uint64_t>(packed, 1 << 12, piece);  // clearing more would take longest
  return data::parse_npy(read_member(member.get(), step, data::most_unpacked(packed), name), name);
}

}  // namespace moblo::lab::readers
