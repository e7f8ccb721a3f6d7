#include "lab/data/problems.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::data {

void Problems::add(std::string problem) {
  if (first_.size() < shown) first_.push_back(std::move(problem));
  ++count_;
}

void Problems::refuse_if_any(const std::string& next) const {
  if (count_ == 0) return;
  if (count_ == 1) throw Error(ErrorKind::data, file_, first_.front(), next);
  std::string rule = fmt::format("{} problems", count_);
  if (static_cast<std::size_t>(count_) > first_.size()) rule += fmt::format(", the first {} of them", first_.size());
  for (const auto& problem : first_) rule += "\n  " + problem;
  throw Error(ErrorKind::data, file_, rule + ".\n" + next, "");  // the advice on a line of its own
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown;
  for (const char c : text.substr(0, longest)) shown += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  while (text.size() > longest && !shown.empty() && (shown.back() & 0xC0) == 0x80) shown.pop_back();
  return fmt::format("'{}{}'", shown, text.size() > longest ? "..." : "");
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) first.push_back(in_quotes(names[i]));
  return base::join(first) + (names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace moblo::lab::data
