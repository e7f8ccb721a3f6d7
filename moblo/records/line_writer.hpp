#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <utility>

#include "moblo/base/json.hpp"
#include "moblo/records/append_file.hpp"
#include "moblo/records/digest.hpp"

namespace moblo::records {

/// Appends records to a JSONL file, and knows the digest of all that stands in it.
class LineWriter {
 public:
  LineWriter() = default;
  /// `there`: what the file holds already.
  LineWriter(std::filesystem::path file, const Digest& there) : file_(std::move(file)), digest_(there) {}

  void append(std::int64_t k, const Json& record);
  void flush() { file_.flush(); }
  void sync() { file_.sync(); }
  /// Of all lines, those in the buffer included.
  const Digest& digest() const { return digest_; }
  /// Without the last records where they are of iterations from next_k on, which a run that goes on computes again.
  Digest digest_before(std::int64_t next_k) const;

 private:
  AppendFile file_;
  Digest digest_;
  std::deque<std::pair<std::int64_t, Digest>> last_;  // iterations of the last lines, and what stood before each
};

}  // namespace moblo::records
