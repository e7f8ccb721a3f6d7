#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/data/file_bytes.hpp"

namespace moblo::lab::data {

/// An array of bytes in the IDX format of MNIST: 0 0, type code, rank, then `rank` big-endian 32-bit sizes, then data.
struct IdxArray {
  std::vector<std::int64_t> shape;
  Bytes values;
  std::string sha256;  ///< of the whole file, decompressed
};

/// Larger than any file of this format in use; an array that claims more is refused unread.
constexpr std::uint64_t largest_idx_file = 1ULL << 30;

/// Checks every claim of the header against what is there. `name` is the file's, for the message of Error(data).
IdxArray parse_idx(Bytes content, std::size_t rank, const std::string& name);

/// The same from a file, raw or gzip.
IdxArray read_idx(const std::filesystem::path& file, std::size_t rank);

/// Grey images with one label each.
struct LabelledImages {
  std::int64_t count = 0, height = 0, width = 0;
  Bytes pixels;                              ///< image after image, row by row
  Bytes labels;                              ///< below `classes`
  std::string pixels_sha256, labels_sha256;  ///< of the two files, decompressed

  std::int64_t pixels_an_image() const { return height * width; }
};

/// Refuses, by Error(data), labels of another number than the images, and labels that are no class.
LabelledImages read_labelled_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                                    int classes);

}  // namespace moblo::lab::data
