#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::lab::report {

/// A set of runs that together show something, what it should show, and by which numbers it is judged.
struct ExperimentRecord {
  std::string name, title;
  std::string cost;    ///< time and memory, in words
  std::string shows;   ///< what a reader should see
  std::string source;  ///< the table or figure it repeats

  struct Case {
    std::string name;
    std::string folder;                 ///< relative to the experiment's
    std::string group{};                ///< the case of which this is one seed; empty: its own name
    std::string series{};               ///< the curve it is a point of
    std::map<std::string, double> x{};  ///< where it stands on the axes of panels that have an `x`
    Json config{};                      ///< its whole plan, from which it can be started; null in older records
  };
  std::vector<Case> cases;

  struct Panel {
    std::string title, quantity;
    bool log = true;
    std::vector<std::string> cases;  ///< empty: all
    std::string x{};                 ///< a value of the cases: one point per case instead of one curve
    bool log_x = false;
    std::string x_title{}, y_title{};
    double scale = 1;  ///< of the quantity
  };
  std::vector<Panel> panels;

  struct Expectation {
    std::string quantity;
    std::optional<std::int64_t> at;  ///< iteration; absent: the final state
    std::optional<double> at_most, at_least;
    std::string case_name;             ///< empty: every case
    std::string source;                ///< where the number comes from
    std::vector<std::string> above{};  ///< cases whose means it must exceed
    std::string relative_to{};         ///< the mean is divided by this case's
  };
  std::vector<Expectation> expectations;

  /// As a paper prints it; either may be missing.
  struct Estimate {
    std::optional<double> mean{}, deviation{};
  };

  /// Means and deviations over seeds: one row per case, one column per quantity.
  struct Table {
    std::string title;
    std::string against{};  ///< the case that trained a network per task; "delta_p" compares with it
    struct Column {
      std::string title, quantity;
      double scale = 1;
      bool relative = false;  ///< divided by the mean of the row's `relative_to`
      std::string task{};     ///< whose metric it is, in delta_p; empty: it does not count there
      bool lower_is_better = false;
    };
    std::vector<Column> columns;
    struct Row {
      std::string case_name, relative_to;
      std::vector<Estimate> paper;  ///< by column; may be shorter
    };
    std::vector<Row> rows;
  };
  std::vector<Table> tables;
};

Json to_json(const ExperimentRecord& record);
/// Error(data) where a key is missing or has the wrong type.
ExperimentRecord experiment_record(const Json& json);

/// Writes experiment.json atomically, and the folder where it is missing. Error(config) where the folder is a run's
/// or a clean's own: the experiment would hide it from reports.
void write_experiment(const std::filesystem::path& folder, const ExperimentRecord& record);
/// The same for other sets of runs.
void refuse_run_folder(const std::filesystem::path& folder, records::SetOfRuns own = records::SetOfRuns::experiment);
/// Empty where the folder has no experiment.json.
std::optional<ExperimentRecord> read_experiment(const std::filesystem::path& folder);

/// The value of "kkt", "losses[1]", ... at iteration `at`; at the end of the run, where it is absent or equals the
/// number of iterations, from the summary's final state under the same names, with alpha[i] and omega[i] besides,
/// selected["metric"] of the selected model, final["metric"] of the last one, and what the machine took: seconds,
/// step_seconds (median after the first step), peak_bytes, added_bytes (above the process before its first step). Empty
/// where the run does not know it (yet).
std::optional<double> quantity(const records::RunRecord& run, const std::string& name, std::optional<std::int64_t> at);

/// The same of one iteration's record.
std::optional<double> quantity(const StepRecord& step, const std::string& name);

}  // namespace moblo::lab::report
