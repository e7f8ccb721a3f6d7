#include "lab/report/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace moblo::lab::report {
namespace {

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// 1.500e-05 -> 1.5e-5.
std::string scientific(double value) {
  const auto text = fmt::format("{:.3e}", value);
  const auto e = text.find('e');
  return fmt::format("{}e{}", without_trailing_zeros(text.substr(0, e)), std::stoi(text.substr(e + 1)));
}

template <class Replace>
std::string replaced(std::string_view text, const Replace& replace) {
  std::string out;
  out.reserve(text.size() + 16);
  for (const char c : text) {
    const std::string_view other = replace(c);
    if (other.data() == nullptr) {
      out += c;
    } else {
      out += other;
    }
  }
  return out;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  // The rounded value decides: 0.00099996 is 0.001 to four digits, not 10.00e-4.
  const double rounded = std::abs(std::stod(fmt::format("{:.3e}", value)));
  if (rounded < 1e-3 || rounded >= 1e5) return scientific(value);
  const int whole_digits = static_cast<int>(std::floor(std::log10(rounded))) + 1;
  return without_trailing_zeros(fmt::format("{:.{}f}", value, std::max(0, 4 - whole_digits)));
}

std::string number_text(const std::optional<double>& value) {
  return value ? number_text(*value) : "–";
}

std::string count_text(double value) {
  if (std::abs(value) >= 1e6) return number_text(value / 1e6) + "M";
  if (std::abs(value) >= 1e4) return number_text(value / 1e3) + "k";
  return number_text(value);
}

std::string html_escaped(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      default:
        return is_control(c) && c != '\n' && c != '\t' ? std::string_view(" ") : std::string_view();
    }
  });
}

std::string markdown_escaped(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '|':
        return "\\|";
      case '\\':
        return "\\\\";
      case '`':
        return "\\`";
      case '*':
        return "\\*";
      case '<':
        return "&lt;";
      case '&':
        return "&amp;";
      default:
        return is_control(c) ? std::string_view(" ") : std::string_view();
    }
  });
}

std::string latex_escaped(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '\\':
        return "\\textbackslash{}";
      case '{':
        return "\\{";
      case '}':
        return "\\}";
      case '$':
        return "\\$";
      case '&':
        return "\\&";
      case '#':
        return "\\#";
      case '_':
        return "\\_";
      case '%':
        return "\\%";
      case '~':
        return "\\textasciitilde{}";
      case '^':
        return "\\textasciicircum{}";
      case '<':
        return "\\textless{}";
      case '>':
        return "\\textgreater{}";
      case '[':  // at the start of a row it would be the optional argument of the \\ before it
        return "{[}";
      default:
        return is_control(c) ? std::string_view(" ") : std::string_view();
    }
  });
}

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                       c == '_' || c == '.' || c == '~' || also_plain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace moblo::lab::report
