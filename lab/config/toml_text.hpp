#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace moblo::lab::config {

constexpr int most_key_parts = 32;  ///< of a.b.c

struct TomlFault {
  std::int64_t line = 1;
  std::string rule;
};

/// What toml++ must not be given, in words: its tables recurse, so that a dotted key of 50,000 parts overflows the
/// stack when they are walked or freed, and letters beyond ASCII in a key that is not quoted lead it astray.
std::optional<TomlFault> fault_in_toml(std::string_view text);

}  // namespace moblo::lab::config
