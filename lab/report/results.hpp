#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/report.hpp"
#include "lab/report/statistic.hpp"
#include "lab/report/summary_table.hpp"

namespace moblo::lab::report {

/// A table of an experiment with its numbers; every format is written from it.
struct ResultTable {
  struct Cell {
    Statistic ours;
    ExperimentRecord::Estimate paper;  ///< as printed
    std::optional<double> recomputed;  ///< delta_p of the paper's own metrics, where it prints one
  };
  struct Row {
    std::string case_name;
    std::string verdict;  ///< over all expectations of the case; empty where there is none
    std::vector<Cell> cells;
  };
  std::string title;
  std::vector<ExperimentRecord::Table::Column> columns;
  std::vector<Row> rows;
};

std::vector<ResultTable> result_tables(const Report& report);

/// Mean and deviation beside the paper's, where it has any, and the verdict. Beside a delta_p of the paper stands the
/// one that its metrics give.
Table text_table(const ResultTable& table);

/// Everything the tables and verdicts say, every digit, with the value of each seed: for programs.
Json results_json(const Report& report);

}  // namespace moblo::lab::report
