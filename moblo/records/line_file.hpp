#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "moblo/base/json.hpp"
#include "moblo/records/digest.hpp"

namespace moblo::records {

/// The whole file, or an Error(data).
std::string read_text(const std::filesystem::path& file);

/// A JSON document with a checksum in it, written as a whole or not at all.
void write_document(const std::filesystem::path& file, const Json& document);
/// A JSON document; an Error(data) with the file's name where it is none, where its checksum is wrong, or where `use`
/// refuses its content.
void read_document(const std::filesystem::path& file, const std::function<void(const Json&)>& use);

/// Every complete line of a JSONL file in order; a missing file has none. What follows the last newline, and a last
/// line that is not JSON, belongs to a write that was under way. Any other fault is an Error(data) with file and line.
/// A line that `use_text` accepts is not parsed.
void read_lines(const std::filesystem::path& file, const std::function<bool(std::string_view)>& use_text,
                const std::function<void(const Json&)>& use);

/// The line of an iteration, by halving the file: iterations ascend in it. Empty where there is none, or where a line
/// on the way is not a record.
std::optional<std::string> line_of_iteration(const std::filesystem::path& file, std::int64_t k);

/// Cuts the file off before the first line that is incomplete or has k >= next_k; returns what is left.
Digest cut_lines(const std::filesystem::path& file, std::int64_t next_k);

}  // namespace moblo::records
