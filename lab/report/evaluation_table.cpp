#include <fmt/format.h>

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::report {
namespace {

std::optional<Evaluation> selected_evaluation(const records::RunRecord& run) {
  if (!run.summary || !run.summary->final_state.is_object()) return std::nullopt;
  const auto& state = run.summary->final_state;
  if (!state.contains("selected") || !state["selected"].is_object()) return std::nullopt;
  const auto& selected = state["selected"];
  if (!selected.contains("metrics") || !selected["metrics"].is_object() || !selected.contains("k")) return std::nullopt;
  if (!selected["k"].is_number_integer()) return std::nullopt;
  Evaluation out{selected["k"].get<std::int64_t>(), {}};
  for (const auto& [name, value] : selected["metrics"].items()) {
    if (const auto number = records::json_number(value)) out.metrics.emplace_back(name, *number);
  }
  return out;
}

std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

/// A row a metric; its datasets or tasks are the columns, the plain name of a metric that has some is their mean.
Table pivoted(const Evaluation& evaluation) {
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::string>> cells;
  for (const auto& [name, value] : evaluation.metrics) {
    auto [metric, part] = metric_place(name);
    const auto row = index_of(rows, metric);
    if (part == metric) part = cells.size() > row && cells[row].size() > 0 ? "mean" : "value";
    const auto column = index_of(columns, part);
    cells.resize(std::max(cells.size(), row + 1));
    cells[row].resize(std::max(cells[row].size(), column + 1));
    cells[row][column] = number_text(value);
  }
  Table table{{"metric"}, {}, {false}};
  for (const auto& column : columns) {
    table.header.push_back(column);
    table.numeric.push_back(true);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> out{rows[r]};
    cells[r].resize(columns.size());
    for (const auto& cell : cells[r]) out.push_back(cell.empty() ? "–" : cell);
    table.rows.push_back(std::move(out));
  }
  return table;
}

}  // namespace

std::optional<EvaluationTable> evaluation_table(const records::RunRecord& run) {
  if (const auto selected = selected_evaluation(run)) {
    return EvaluationTable{fmt::format("The selected model, of iteration {}", selected->k), pivoted(*selected)};
  }
  if (run.evaluations.empty()) return std::nullopt;
  const auto& last = run.evaluations.back();
  return EvaluationTable{fmt::format("Evaluation at iteration {}", last.k), pivoted(last)};
}

}  // namespace moblo::lab::report
