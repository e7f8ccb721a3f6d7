#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace moblo::lab::report {

/// Four significant digits; scientific below 1e-3 and from 1e5 on.
std::string number_text(double value);
/// An en dash where there is none.
std::string number_text(const std::optional<double>& value);
/// Iterations on an axis: 500, 20k, 1.5M.
std::string count_text(double value);

std::string html_escaped(std::string_view text);
std::string markdown_escaped(std::string_view text);
std::string latex_escaped(std::string_view text);
/// For an address (RFC 3986): all but the unreserved characters, and those of `also_plain`, as %XX.
std::string percent_encoded(std::string_view text, std::string_view also_plain = "");

}  // namespace moblo::lab::report
