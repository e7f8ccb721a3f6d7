#include "cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::cli {
namespace {

int tell(const std::string& message, int exit_code, bool json) {
  say(fmt::format("moblo: {}\n", message));
  if (json) print_json({{"status", "error"}, {"message", message}, {"exit_code", exit_code}});
  return exit_code;
}

/// What was printed may still lie in a buffer, and a full disk shows only now.
void refuse_lost_output() {
  if (std::fflush(stdout) == 0) return;
  throw Error(ErrorKind::io, "standard output", fmt::format("cannot be written: {}", std::strerror(errno)),
              "Send it elsewhere");
}

/// torch's errors carry a backtrace after their first line.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* argument) { return std::string_view(argument) == "--json"; });
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

void print_json(const Json& document) {
  std::puts(records::dump_json(document).c_str());
}

int report_errors(const std::function<int()>& body, bool json) {
  try {
    const int exit_code = body();
    refuse_lost_output();
    return exit_code;
  } catch (const Error& error) {
    return tell(error.what(), error.exit_code(), json);
  } catch (const std::filesystem::filesystem_error& error) {  // a name that is too long, a folder that may not be read
    const Error told(ErrorKind::io, error.path1().string(), error.code().message(), "Check the path");
    return tell(told.what(), told.exit_code(), json);
  } catch (const std::bad_alloc&) {
    const Error told(ErrorKind::io, "memory", "there is not enough of it", "Raise the limit, or ask for less");
    return tell(told.what(), told.exit_code(), json);
  } catch (const std::exception& error) {
    return tell("unexpected error: " + first_line(error.what()) + ".", 1, json);
  }
}

bool wants_colour() {
  const char* forbidden = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (forbidden == nullptr || *forbidden == '\0');
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
