#include "cli/options_table.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"

namespace moblo::cli {

std::string options_table(const Json& fields, const std::string& prefix) {
  std::vector<std::vector<std::string>> rows{{"option", "default", "values", "meaning"}};
  for (const auto& field : fields) {
    const auto text = [&](const char* key) { return field.at(key).get<std::string>(); };
    const auto range = text("range");
    rows.push_back({prefix + text("key"), field.at("default").dump(),
                    range.empty() ? text("type") : fmt::format("{} {}", text("type"), range), text("help")});
  }
  return table(rows);
}

}  // namespace moblo::cli
