#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "moblo/records/tensor_file.hpp"

namespace moblo::records::tensor_layout {

/// Where one tensor's bytes lie, counted from the first data byte.
struct Extent {
  std::uint64_t begin = 0, end = 0;
};

/// What is wrong, without the file's name; becomes an Error(checkpoint) at the door.
struct Fault {
  std::string rule;
};

std::uint64_t element_bytes(const StoredTensor& tensor);

/// What dtype and shape ask for; a Fault where they are unknown, negative or overflow.
std::uint64_t expected_bytes(const StoredTensor& tensor);

/// CRC-32 over a canonical text of names, dtypes, shapes and offsets, then the state, then the data.
class Checksum {
 public:
  Checksum(const std::vector<StoredTensor>& tensors, const std::vector<Extent>& extents, const std::string& state);

  void add(std::span<const std::byte> bytes);
  std::string text() const;

 private:
  unsigned long value_;
};

}  // namespace moblo::records::tensor_layout
