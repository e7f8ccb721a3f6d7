#include "cli/options_table.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"

namespace moblo::cli {

std::string options_table(const std::vector<FieldInfo>& fields, const std::string& prefix) {
  std::vector<std::vector<std::string>> rows{{"option", "default", "values", "meaning"}};
  for (const auto& field : fields) {
    rows.push_back({prefix + field.key, field.default_value.dump(),
                    field.range.empty() ? field.type : fmt::format("{} {}", field.type, field.range), field.help});
  }
  return table(rows);
}

}  // namespace moblo::cli
