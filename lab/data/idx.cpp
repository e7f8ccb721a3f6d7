#include "lab/data/idx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/data/digest.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

constexpr std::uint8_t unsigned_bytes = 0x08;

[[noreturn]] void refuse(const std::string& name, const std::string& rule) {
  throw Error(ErrorKind::data, name, rule, "Get the file again, or name another directory");
}

std::size_t header_length(std::size_t rank) {
  return 4 + 4 * rank;
}

std::int64_t size_at(const Bytes& content, std::size_t dimension) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size << 8 | content[header_length(dimension) + i];
  return size;
}

void refuse_bad_magic(const Bytes& content, std::size_t rank, const std::string& name) {
  if (content.size() < 4) refuse(name, fmt::format("has {} bytes, too few for an IDX header", content.size()));
  if (content[0] != 0 || content[1] != 0) {
    refuse(name, fmt::format("is not an IDX file: it starts with {:02x} {:02x}, not 00 00", content[0], content[1]));
  }
  if (content[2] != unsigned_bytes) {
    refuse(name, fmt::format("holds values of type code 0x{:02x}; only unsigned bytes, 0x08, are read", content[2]));
  }
  if (content[3] != rank) refuse(name, fmt::format("has {} dimensions instead of {}", content[3], rank));
  if (content.size() < header_length(rank)) {
    refuse(name, fmt::format("ends within its header, after {} of {} bytes", content.size(), header_length(rank)));
  }
}

struct Header {
  std::vector<std::int64_t> shape;
  std::uint64_t values = 0;  ///< product of the shape
};

/// Sizes are checked before they are multiplied: the product of a lying header may not fit any integer.
Header parse_header(const Bytes& content, std::size_t rank, const std::string& name) {
  refuse_bad_magic(content, rank, name);
  Header header{{}, 1};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = size_at(content, i);
    if (size == 0) refuse(name, fmt::format("claims a size of 0 in dimension {}", i + 1));
    if (static_cast<std::uint64_t>(size) > largest_idx_file / header.values) {
      refuse(name, fmt::format("claims more than {} bytes, the largest that is read", largest_idx_file));
    }
    header.values *= static_cast<std::uint64_t>(size);
    header.shape.push_back(size);
  }
  return header;
}

}  // namespace

IdxArray parse_idx(Bytes content, std::size_t rank, const std::string& name) {
  Header header = parse_header(content, rank, name);
  const std::uint64_t claimed = header_length(rank) + header.values;
  if (content.size() != claimed) {
    refuse(name, content.size() < claimed
                     ? fmt::format("is cut short: its header claims {} bytes, {} are there", claimed, content.size())
                     : fmt::format("is longer than the {} bytes that its header claims", claimed));
  }
  std::string digest = sha256(content);
  content.erase(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(header_length(rank)));
  return {std::move(header.shape), std::move(content), std::move(digest)};
}

IdxArray read_idx(const std::filesystem::path& file, std::size_t rank) {
  const std::string name = file.string();
  return parse_idx(read_file_bytes(file, largest_idx_file,
                                   [&](const Bytes& beginning) {
                                     return header_length(rank) + parse_header(beginning, rank, name).values;
                                   }),
                   rank, name);
}

LabelledImages read_labelled_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                                    int classes) {
  IdxArray labelled = read_idx(labels, 1), pictures = read_idx(images, 3);
  if (labelled.shape[0] != pictures.shape[0]) {
    refuse(labels.string(),
           fmt::format("has {} labels for the {} images of {}", labelled.shape[0], pictures.shape[0], images.string()));
  }
  const auto wrong = std::find_if(labelled.values.begin(), labelled.values.end(),
                                  [&](std::uint8_t label) { return label >= classes; });
  if (wrong != labelled.values.end()) {
    refuse(labels.string(), fmt::format("label {} of sample {} is none of the classes 0 to {}", *wrong,
                                        wrong - labelled.values.begin(), classes - 1));
  }
  return {pictures.shape[0],          pictures.shape[1], pictures.shape[2], std::move(pictures.values),
          std::move(labelled.values), pictures.sha256,   labelled.sha256};
}

}  // namespace moblo::lab::data
