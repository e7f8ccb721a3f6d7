#include "moblo/records/line_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_scanner.hpp"

namespace moblo::records {
namespace {

constexpr const char* remedy = "Remove that line if the run is not needed whole, or run it again";

/// One line as it stands in the file; `last` where no other complete line follows.
struct Line {
  std::string_view text;
  std::size_t begin = 0;
  std::int64_t number = 0;
  bool last = false;
};

/// Calls use(line) until it returns false; what follows the last newline is no line yet.
template <class Use>
void for_each_line(const std::string& content, const Use& use) {
  std::size_t begin = 0;
  std::int64_t number = 1;
  for (auto end = content.find('\n'); end != std::string::npos; end = content.find('\n', begin), ++number) {
    const bool last = content.find('\n', end + 1) == std::string::npos;
    if (!use(Line{std::string_view(content).substr(begin, end - begin), begin, number, last})) return;
    begin = end + 1;
  }
}

std::string place(const std::filesystem::path& file, std::int64_t number) {
  return fmt::format("{}:{}", file.string(), number);
}

std::string without_full_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Json parse(std::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

/// Discarded where the line is the last one and not JSON.
Json parse_line(const std::filesystem::path& file, const Line& line) {
  auto json = parse(line.text);
  if (json.is_discarded() && !line.last) {
    throw Error(ErrorKind::data, place(file, line.number), "is not JSON, though lines follow it", remedy);
  }
  return json;
}

template <class Use>
void use_at(const std::string& given, const Json& json, const char* next, const Use& use) {
  try {
    use(json);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, given, without_full_stop(error.what()), next);
  }
}

/// Empty for a last line that is not whole.
std::optional<std::int64_t> iteration_of(const std::filesystem::path& file, const Line& line) {
  if (const auto k = scan_iteration(line.text)) return k;
  const auto json = parse_line(file, line);
  if (json.is_discarded()) return std::nullopt;
  static const std::string what = "record";
  std::int64_t k = 0;
  use_at(place(file, line.number), json, remedy, [&k](const Json& record) { k = Fields(record, what).integer("k"); });
  return k;
}

std::size_t bytes_before(const std::filesystem::path& file, const std::string& content, std::int64_t next_k) {
  std::size_t kept = 0;
  for_each_line(content, [&](const Line& line) {
    const auto k = iteration_of(file, line);
    const bool keep = k && *k < next_k;
    if (keep) kept = line.begin + line.text.size() + 1;
    return keep;
  });
  return kept;
}

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(ErrorKind::data, file.string(), "is a folder, a file was expected", "Check the path");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::data, file.string(), "cannot be opened", "Check the path and its permissions");
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) text.append(block, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw Error(ErrorKind::data, file.string(), "cannot be read", "Check the disk");
  return text;
}

void read_document(const std::filesystem::path& file, const std::function<void(const Json&)>& use) {
  const auto json = parse(read_text(file));
  if (json.is_discarded()) {
    throw Error(ErrorKind::data, file.string(), "is not JSON", "Restore it from a copy, or run again");
  }
  use_at(file.string(), json, "Restore it from a copy, or run again", use);
}

void read_lines(const std::filesystem::path& file, const std::function<bool(std::string_view)>& use_text,
                const std::function<void(const Json&)>& use) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  const auto content = read_text(file);
  for_each_line(content, [&](const Line& line) {
    if (use_text(line.text)) return true;
    const auto json = parse_line(file, line);
    if (json.is_discarded()) return false;
    use_at(place(file, line.number), json, remedy, use);
    return true;
  });
}

void cut_lines(const std::filesystem::path& file, std::int64_t next_k) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return;
  const auto content = read_text(file);
  const auto kept = bytes_before(file, content, next_k);
  if (kept == content.size()) return;
  std::filesystem::resize_file(file, kept, failure);
  if (failure) throw io_error(file, "cannot be cut", failure.value());
}

}  // namespace moblo::records
