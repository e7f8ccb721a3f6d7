#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "moblo/data/file_bytes.hpp"
#include "moblo/data/readers/problems.hpp"

namespace moblo {

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

/// The arrays of an npz file by name, without ".npy".
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  /// The first of the candidates that is there, or "".
  std::string find(const std::vector<std::string>& candidates) const;
  NpyArray read(const std::string& array) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Archive;
  std::string file_;
  std::unique_ptr<Archive> archive_;
  std::vector<std::string> names_;
};

}  // namespace moblo
