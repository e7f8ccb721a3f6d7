#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/data/file_bytes.hpp"
#include "lab/data/problems.hpp"

namespace moblo::lab::data {

/// More values than this are refused unread: 2 GiB as floats.
constexpr std::uint64_t most_values = 1ULL << 29;

/// An array as NumPy saves it (format versions 1 to 3, little endian); half precision is widened to 32 bits.
struct NpyArray {
  std::string name;                 ///< for messages
  std::vector<std::int64_t> shape;  ///< empty for a single value
  char kind = 0;                    ///< f, i, u, b (boolean), U (text in UTF-32), S (bytes)
  std::size_t item = 0;             ///< bytes of one value
  bool columns_first = false;       ///< Fortran's order
  Bytes values;

  std::size_t count() const { return item == 0 ? 0 : values.size() / item; }
  bool is_number() const { return kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b'; }
};

/// The bytes that the header claims, itself included; refuses by Error(data) what is no header or claims too much.
std::uint64_t npy_length(const Bytes& beginning, const std::string& name);

/// Checks every claim of the header against what is there.
NpyArray parse_npy(Bytes content, const std::string& name);
NpyArray read_npy(const std::filesystem::path& file);

/// The values in C order. Those that are not finite, or beyond the range, are problems named by sample.
std::vector<float> npy_floats(const NpyArray& array, Problems& problems);
std::vector<double> npy_doubles(const NpyArray& array, Problems& problems);

/// One text a value of an array of one dimension (or n x 1): names as they are, whole numbers in decimals.
std::vector<std::string> npy_texts(const NpyArray& array, Problems& problems);

}  // namespace moblo::lab::data
