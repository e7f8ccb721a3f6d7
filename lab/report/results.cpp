#include "lab/report/results.hpp"

#include <algorithm>
#include <map>

#include "lab/metrics/delta_p.hpp"
#include "lab/report/number_text.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::report {
namespace {

using Column = ExperimentRecord::Table::Column;

std::string verdict_of(const std::vector<Verdict>& verdicts, const std::string& case_name) {
  std::string worst;
  for (const auto& verdict : verdicts) {
    if (verdict.case_name != case_name) continue;
    const auto here = outcome(verdict);
    if (here == "missed") return here;
    if (worst.empty() || here != "met") worst = here;
  }
  return worst;
}

Statistic measured(const Report& report, const ExperimentRecord::Table::Row& row, const Column& column) {
  const auto own = statistic(*report.experiment, report.runs, row.case_name, column.quantity);
  if (!column.relative) return own.times(column.scale);
  if (row.relative_to.empty()) return {};
  const auto base = statistic(*report.experiment, report.runs, row.relative_to, column.quantity).mean();
  return base && *base != 0 ? own.times(1 / *base) : Statistic{{}, own.started, own.finished, own.seeds};
}

/// The paper's metrics of a row beside its single-task ones; empty where it does not print all that count in delta_p.
std::optional<metrics::ComparedTasks> papers_tasks(const ExperimentRecord::Table& table,
                                                   const ExperimentRecord::Table::Row& row,
                                                   const ExperimentRecord::Table::Row& single_task) {
  std::map<std::string, std::vector<metrics::ComparedMetric>> tasks;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& column = table.columns[i];
    if (column.task.empty()) continue;
    if (i >= row.paper.size() || i >= single_task.paper.size()) return std::nullopt;
    const auto &own = row.paper[i].mean, &base = single_task.paper[i].mean;
    if (!own || !base || *base == 0) return std::nullopt;
    tasks[column.task].push_back(
        {*own, *base, column.lower_is_better ? metrics::Better::lower : metrics::Better::higher});
  }
  metrics::ComparedTasks compared;
  for (auto& [task, of_task] : tasks) compared.push_back(std::move(of_task));
  return compared.empty() ? std::nullopt : std::optional(compared);
}

std::optional<double> recomputed_delta_p(const ExperimentRecord::Table& table,
                                         const ExperimentRecord::Table::Row& row) {
  for (const auto& other : table.rows) {
    if (other.case_name != table.against) continue;
    const auto tasks = papers_tasks(table, row, other);
    return tasks ? std::optional(metrics::delta_p(*tasks)) : std::nullopt;
  }
  return std::nullopt;
}

ResultTable::Cell cell_of(const Report& report, const ExperimentRecord::Table& table,
                          const ExperimentRecord::Table::Row& row, std::size_t column) {
  ResultTable::Cell cell{measured(report, row, table.columns[column]), {}, {}};
  if (column < row.paper.size()) cell.paper = row.paper[column];
  if (cell.paper.mean && table.columns[column].quantity == "delta_p") cell.recomputed = recomputed_delta_p(table, row);
  return cell;
}

bool has_recomputed(const ResultTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const auto& row) { return row.cells[column].recomputed.has_value(); });
}

bool has_paper(const ResultTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const auto& row) { return row.cells[column].paper.mean.has_value(); });
}

Json optional_json(const std::optional<double>& value) {
  return value ? records::number_json(*value) : Json();
}

Json to_json(const ResultTable::Cell& cell) {
  Json json{{"mean", optional_json(cell.ours.mean())},
            {"deviation", optional_json(cell.ours.deviation())},
            {"values", records::numbers_json(cell.ours.values)},
            {"seeds", cell.ours.seeds}};
  if (cell.paper.mean) {
    json["paper"] = {{"mean", optional_json(cell.paper.mean)}, {"deviation", optional_json(cell.paper.deviation)}};
  }
  if (cell.recomputed) json["paper"]["recomputed"] = records::number_json(*cell.recomputed);
  return json;
}

Json to_json(const ResultTable& table) {
  Json json{{"title", table.title}, {"rows", Json::array()}};
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      Json cell{{"column", table.columns[i].title}, {"quantity", table.columns[i].quantity}};
      cell.update(to_json(row.cells[i]));
      cells.push_back(std::move(cell));
    }
    json["rows"].push_back({{"case", row.case_name}, {"verdict", row.verdict}, {"cells", std::move(cells)}});
  }
  return json;
}

Json to_json(const Verdict& verdict) {
  return {{"verdict", outcome(verdict)}, {"case", verdict.case_name},
          {"quantity", verdict.what},    {"value", verdict.known ? records::number_json(verdict.value) : Json()},
          {"expected", verdict.rule},    {"source", verdict.source}};
}

}  // namespace

std::vector<ResultTable> result_tables(const Report& report) {
  std::vector<ResultTable> tables;
  if (!report.experiment) return tables;
  const auto verdicts = judge(*report.experiment, report.runs);
  for (const auto& wanted : report.experiment->tables) {
    ResultTable table{wanted.title, wanted.columns, {}};
    for (const auto& row : wanted.rows) {
      ResultTable::Row out{row.case_name, verdict_of(verdicts, row.case_name), {}};
      for (std::size_t i = 0; i < wanted.columns.size(); ++i) {
        out.cells.push_back(cell_of(report, wanted, row, i));
      }
      table.rows.push_back(std::move(out));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

Table text_table(const ResultTable& table) {
  Table out;
  const auto add_column = [&out](const std::string& title, bool numeric) {
    out.header.push_back(title);
    out.numeric.push_back(numeric);
  };
  const bool judged =
      std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return !row.verdict.empty(); });
  add_column("case", false);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    add_column(table.columns[i].title, true);
    if (has_paper(table, i)) add_column("paper", true);
    if (has_recomputed(table, i)) add_column("paper, recomputed", true);
  }
  if (judged) add_column("verdict", false);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells{row.case_name};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      cells.push_back(statistic_text(row.cells[i].ours));
      if (has_paper(table, i)) cells.push_back(estimate_text(row.cells[i].paper.mean, row.cells[i].paper.deviation));
      if (has_recomputed(table, i)) cells.push_back(estimate_text(row.cells[i].recomputed, std::nullopt));
    }
    if (judged) cells.push_back(row.verdict);
    out.rows.push_back(std::move(cells));
  }
  return out;
}

Json results_json(const Report& report) {
  Json json{{"title", report.title}, {"tables", Json::array()}, {"verdicts", Json::array()}, {"runs", Json::array()}};
  if (report.experiment) {
    json["name"] = report.experiment->name;
    for (const auto& table : result_tables(report)) json["tables"].push_back(to_json(table));
    for (const auto& verdict : judge(*report.experiment, report.runs)) json["verdicts"].push_back(to_json(verdict));
  }
  for (const auto& row : run_rows(report)) {
    json["runs"].push_back({{"name", row.name},
                            {"status", base::name(row.status)},
                            {"iterations", row.iterations},
                            {"seconds", records::number_json(row.seconds)}});
  }
  return json;
}

}  // namespace moblo::lab::report
