#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/file_bytes.hpp"

namespace moblo::lab::data {

/// Reads records of RFC 4180 from a text: cells in quotes may hold separators, line ends and doubled quotes. A record
/// ends with LF, CRLF or CR.
class CsvText {
 public:
  CsvText(std::string_view text, char separator);

  /// False at the end. The cells stay valid until the next call. A record of one empty cell is a blank line.
  bool next(std::vector<std::string_view>& cells);
  /// Of the record just read, counted from 1 as a spreadsheet does.
  std::int64_t row() const { return row_; }
  /// What is wrong with the quotes of the record just read, or nothing.
  const std::string& fault() const { return fault_; }
  /// Bytes that are not read yet.
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  std::string_view plain_cell(std::size_t column);
  std::string_view quoted_cell(std::size_t column);
  void fail(std::size_t column, const char* rule);

  const char* at_;
  const char* end_;
  char separator_;
  std::int64_t row_ = 0;
  std::deque<std::string> unescaped_;
  std::string fault_;
};

/// Refuses what no text holds.
void refuse_zero_bytes(std::span<const std::uint8_t> bytes, const std::string& file);
/// Refuses the first bytes of what is no text. Returns the length of the byte order mark that they begin with.
std::size_t refuse_unless_text(std::span<const std::uint8_t> start, const std::string& file);

/// A file as text: without a byte order mark; what is no text is refused.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& file);
  std::string_view text() const;

 private:
  Bytes bytes_;
  std::size_t start_ = 0;
};

/// Comma, semicolon or tab, whichever is most frequent outside quotes in the first record; a comma where none is.
char separator_of(std::string_view text);

/// The trimmed cells of the first record. Refuses what cannot be a header.
std::vector<std::string> read_header(CsvText& records, const std::string& file);
/// The same of a record that is read already.
std::vector<std::string> column_names(const std::vector<std::string_view>& cells, const std::string& fault,
                                      const std::string& file);

}  // namespace moblo::lab::data
