#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace moblo::lab::data {

/// The problems of one file, so that a user sees ten of them at once and not one per run.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(std::string problem);
  bool any() const { return count_ > 0; }
  /// Throws Error(data) with the first ten and the number of all.
  void refuse_if_any(const std::string& next) const;

 private:
  static constexpr std::size_t shown = 10;
  std::string file_;
  std::vector<std::string> first_;
  std::int64_t count_ = 0;
};

/// 'text', cut where it is long; bytes that are no printable ASCII or UTF-8 lead stay out of the terminal.
std::string in_quotes(std::string_view text);

/// The first names and how many more there are.
std::string some_of(const std::vector<std::string>& names);

std::string_view trimmed(std::string_view text);

}  // namespace moblo::lab::data
