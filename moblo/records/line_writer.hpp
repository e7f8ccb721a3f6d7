#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>

#include "moblo/base/json.hpp"
#include "moblo/records/digest.hpp"

namespace moblo::records {

/// Appends records to a JSONL file, and knows the digest of all that stands in it.
class LineWriter {
 public:
  LineWriter() = default;
  /// `there`: what the file holds already. Error(io) where it cannot be opened.
  LineWriter(std::filesystem::path file, const Digest& there);
  /// What was appended since the last flush() is written where that is possible.
  ~LineWriter();
  LineWriter(LineWriter&& other) noexcept;
  LineWriter& operator=(LineWriter&& other) noexcept;

  void append(std::int64_t k, const Json& record);
  /// Hands buffered lines to the operating system; Error(io) where the disk is full.
  void flush();
  /// The same, and on to the disk.
  void sync();
  /// Of all lines, those in the buffer included.
  const Digest& digest() const { return digest_; }
  /// Without the last records where they are of iterations from next_k on, which a run that goes on computes again.
  Digest digest_before(std::int64_t next_k) const;

 private:
  void swap(LineWriter& other) noexcept;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string buffer_;
  Digest digest_;
  std::deque<std::pair<std::int64_t, Digest>> last_;  // iteration of each of the last lines, and what stood before it
};

}  // namespace moblo::records
