#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/objective_names.hpp"
#include "lab/report/report.hpp"

namespace moblo::lab::report {

/// A run in one line: how it ended, or where it stands.
struct RunRow {
  std::string name, message;
  RunStatus status = RunStatus::running;
  std::int64_t iterations = 0;
  double seconds = 0;
  std::vector<double> losses;
  std::vector<double>
      refit;  ///< losses after the lower level was solved again at the run's alpha; empty where it was not
  ObjectiveNames objectives;  ///< what the losses are called
  std::optional<double> q, kkt, distance;
};

/// Final values come from the summary; of a run that goes on, from its last record.
RunRow run_row(const std::string& name, const records::RunRecord& run);
std::vector<RunRow> run_rows(const Report& report);

/// Cells are plain text; each format escapes them in its own way.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;  ///< by column: set right-aligned
};

Table run_table(const std::vector<RunRow>& rows);

/// The metrics of the model that a run selected, or of its last evaluation.
struct EvaluationTable {
  std::string title;
  Table table;
};
std::optional<EvaluationTable> evaluation_table(const records::RunRecord& run);

/// The joint model of a run beside the model that was retrained with its alpha, and what the two mean in a sentence.
struct RefitTable {
  std::string meaning;
  Table table;
};
RefitTable refit_table(const records::Refit& refit, const ObjectiveNames& names);

Table verdict_table(const std::vector<Verdict>& verdicts);
/// "3 of 4 expectations met, 1 not run"
std::string verdict_summary(const std::vector<Verdict>& verdicts);

}  // namespace moblo::lab::report
