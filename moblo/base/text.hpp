#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace moblo::base {

std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

/// The candidate with the smallest edit distance to `word`, or empty where none is near enough to be a misspelling.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or "; known are a, b, c": what to say after an unknown name.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// A cell of RFC 4180: one with a comma, a quote or a line's end stands in quotes.
std::string csv_field(std::string_view text);

/// 12.3 s, 4 min 05 s, 3 h 20 min.
std::string human_seconds(double seconds);

/// 512 B, 1.2 MiB.
std::string human_bytes(double bytes);

}  // namespace moblo::base
