#include "cli/arena_tables.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "lab/report/arena_page.hpp"

namespace moblo::cli {

std::string arena_tables(const lab::report::ArenaRecord& record) {
  std::string text;
  for (const auto& tables : {arena_problem_tables(record), arena_rankings(record)}) {
    for (const auto& [title, shown] : tables) {
      std::vector<std::vector<std::string>> rows{shown.header};
      rows.insert(rows.end(), shown.rows.begin(), shown.rows.end());
      text += fmt::format("{}\n{}\n", title, table(rows));
    }
  }
  return text;
}

}  // namespace moblo::cli
