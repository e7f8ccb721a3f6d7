#include "cli/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/record/json_fields.hpp"

namespace moblo::cli {
namespace {

int tell(const std::string& message, int exit_code, bool json) {
  fmt::print(stderr, "moblo: {}\n", message);
  if (json) print_json({{"status", "error"}, {"message", message}, {"exit_code", exit_code}});
  return exit_code;
}

/// torch's errors carry a backtrace after their first line.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* argument) { return std::string_view(argument) == "--json"; });
}

void print_json(const Json& document) {
  fmt::print("{}\n", dump_json(document));
}

int report_errors(const std::function<int()>& body, bool json) {
  try {
    return body();
  } catch (const Error& error) {
    return tell(error.what(), error.exit_code(), json);
  } catch (const std::exception& error) {
    return tell("unexpected error: " + first_line(error.what()), 1, json);
  }
}

std::string shell_quoted(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("-_./=,:+", c); };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 < row.size() ? fmt::format("{:<{}}  ", row[i], widths[i]) : row[i];
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace moblo::cli
