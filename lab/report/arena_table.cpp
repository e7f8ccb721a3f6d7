#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/report/arena_page.hpp"
#include "lab/report/arena_statistics.hpp"
#include "lab/report/number_text.hpp"

namespace moblo::lab::report {
namespace {

const char* const no_number = "–";

std::string words_of_model(ArenaModel model) {
  return model == ArenaModel::joint ? "joint models" : "refitted models";
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Table ranking(const ArenaRecord& arena, const ArenaScores& scores) {
  const auto ranks = mean_ranks(scores);
  const auto ratios = ratios_to_best(scores);
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks[a].mean < ranks[b].mean; });
  Table table{{"method", "mean rank", "95 % interval", "best", "within 2 x", "within 10 x", "no result"},
              {},
              {false, true, true, true, true, true, true}};
  for (const auto m : order) {
    const auto failed = std::count_if(ratios[m].begin(), ratios[m].end(), [](double r) { return std::isinf(r); });
    table.rows.push_back({arena.methods[m], fmt::format("{:.2f}", ranks[m].mean),
                          fmt::format("{:.2f} to {:.2f}", ranks[m].low, ranks[m].high),
                          percent(share_within(ratios[m], 1)), percent(share_within(ratios[m], 2)),
                          percent(share_within(ratios[m], 10)),
                          fmt::format("{} of {}", failed, scores.problems.size())});
  }
  return table;
}

/// "0.012 (0.011 to 0.015)", and how many runs had none.
std::string spread_text(const std::vector<std::optional<double>>& scores) {
  std::vector<double> values;
  for (const auto& score : scores) {
    if (score) values.push_back(*score);
  }
  if (values.empty()) return no_number;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  auto text = number_text(median_of(values));
  if (values.size() > 1) text += fmt::format(" ({} to {})", number_text(*low), number_text(*high));
  if (values.size() < scores.size()) text += fmt::format(", {} of {}", values.size(), scores.size());
  return text;
}

double median_over(const ArenaRecord::Cell& cell, double (*value)(const ArenaRecord::Trial&)) {
  std::vector<double> values;
  for (const auto& trial : cell.trials) values.push_back(value(trial));
  return median_of(values);
}

std::vector<std::string> cell_row(const std::string& method, const ArenaRecord::Cell& cell) {
  if (!cell.unsuitable.empty()) return {method, "does not suit it", "", "", "", "", "", ""};
  std::vector<std::optional<double>> joint, refit;
  for (const auto& trial : cell.trials) {
    joint.push_back(trial.joint);
    refit.push_back(trial.refit);
  }
  std::vector<std::string> row{method, spread_text(joint), spread_text(refit)};
  if (cell.trials.empty() || !cell.chosen) {
    row.insert(row.end(), 5, no_number);
    return row;
  }
  const auto number = [&](double (*value)(const ArenaRecord::Trial&)) {
    row.push_back(number_text(median_over(cell, value)));
  };
  number([](const auto& trial) { return static_cast<double>(trial.iterations); });
  number([](const auto& trial) { return static_cast<double>(trial.gradients.lower + trial.gradients.upper); });
  number([](const auto& trial) { return static_cast<double>(trial.gradients.second_order); });
  number([](const auto& trial) { return trial.seconds; });
  const auto& chosen = cell.candidates[static_cast<std::size_t>(*cell.chosen)];
  row.push_back(fmt::format("{:.2g}, {:.2g}, {:.2g}", chosen.alpha, chosen.omega, chosen.lower));
  return row;
}

std::string markdown_of(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const auto& cell : cells) text += " " + markdown_escaped(cell) + " |";
    return text + "\n";
  };
  std::string text = line(table.header) + "|";
  for (const bool numeric : table.numeric) text += numeric ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

}  // namespace

std::vector<TitledTable> arena_rankings(const ArenaRecord& arena) {
  std::vector<TitledTable> tables;
  if (!arena.complete()) return tables;
  for (const auto model : {ArenaModel::joint, ArenaModel::refit}) {
    const auto scores = arena_scores(arena, model);
    if (scores.problems.empty()) continue;
    tables.push_back({fmt::format("Ranks, {} ({} problems, {} seeds)", words_of_model(model), scores.problems.size(),
                                  arena.seeds.size()),
                      ranking(arena, scores)});
  }
  return tables;
}

std::vector<TitledTable> arena_problem_tables(const ArenaRecord& arena) {
  std::vector<TitledTable> tables;
  for (std::size_t p = 0; p < arena.problems.size(); ++p) {
    const auto& problem = arena.problems[p];
    Table table{{"method", "joint", "refitted", "iterations", "gradients", "second order", "seconds",
                 "steps (alpha, omega, lower)"},
                {},
                {false, true, true, true, true, true, true, false}};
    for (std::size_t m = 0; m < arena.methods.size(); ++m) {
      table.rows.push_back(cell_row(arena.methods[m], arena.cell(p, m)));
    }
    tables.push_back({fmt::format("{}: {}, {} gradients", problem.name, problem.measure, problem.budget), table});
  }
  return tables;
}

std::string arena_markdown(const ArenaRecord& arena) {
  std::string text;
  for (const auto& tables : {arena_rankings(arena), arena_problem_tables(arena)}) {
    for (const auto& [title, table] : tables) text += fmt::format("## {}\n\n{}\n", title, markdown_of(table));
  }
  return text;
}

}  // namespace moblo::lab::report
