#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/report/arena_record.hpp"
#include "lab/report/arena_score.hpp"
#include "lab/report/summary_table.hpp"

namespace moblo::lab::report {

struct TitledTable {
  std::string title;
  Table table;
};

/// Mean ranks with their intervals, share of the problems on which a method is the best, and within 2 and 10 times the
/// best; best method first. Empty unless the arena is complete.
std::vector<TitledTable> arena_rankings(const ArenaRecord& arena);

/// One table per problem: medians over seeds and their range, what the runs took, the step sizes that were chosen.
std::vector<TitledTable> arena_problem_tables(const ArenaRecord& arena);

std::string arena_markdown(const ArenaRecord& arena);
std::string arena_html(const ArenaRecord& arena, const std::string& chart_library = "");

/// Makes arena.html of the arena.json in a folder, and returns its path. Error(data) where there is none.
std::filesystem::path write_arena_page(const std::filesystem::path& folder);

}  // namespace moblo::lab::report
