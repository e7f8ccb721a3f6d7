#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/csv.hpp"
#include "lab/data/digest.hpp"

namespace moblo::lab::data {

/// The records of a CSV file, raw or gzip, one after another: memory does not grow with the file. The separator is that
/// of the first record. Refuses what is no text, what is empty, and a record of more than 64 MB.
class CsvFile {
 public:
  /// `digest`, if any, gets the text as it is read, without a byte order mark.
  explicit CsvFile(const std::filesystem::path& file, Digest* digest = nullptr);

  /// As CsvText.
  bool next(std::vector<std::string_view>& cells);
  std::int64_t row() const { return row_; }
  const std::string& fault() const { return records_.fault(); }

 private:
  void refill(std::size_t unread);
  void begin();

  std::string name_;
  FilePieces pieces_;
  Digest* digest_;
  Bytes buffer_;
  std::size_t filled_ = 0;
  char separator_ = ',';
  bool ended_ = false;
  std::int64_t row_ = 0;
  CsvText records_;
};

/// The names of the columns of a file.
std::vector<std::string> header_of(const std::filesystem::path& file);

}  // namespace moblo::lab::data
