#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/data/file_bytes.hpp"

namespace moblo::lab::data {

/// What stands before the values of an array that NumPy saved; trusted only as far as it can be checked.
struct NpyHeader {
  std::size_t start = 0;  ///< of the values
  std::string descr;
  bool columns_first = false;
  std::vector<std::int64_t> shape;
  char kind = 0;
  std::size_t item = 0;
  std::uint64_t values = 1;

  /// The bytes of the whole, itself included.
  std::uint64_t claimed() const { return start + values * item; }
};

NpyHeader parse_npy_header(const Bytes& content, const std::string& name);

[[noreturn]] void refuse_npy(const std::string& name, const std::string& rule, const std::string& next = "");

}  // namespace moblo::lab::data
