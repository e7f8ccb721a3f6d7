#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/report/experiment_record.hpp"
#include "moblo/records/front_record.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::lab::report {

using NamedRuns = std::vector<std::pair<std::string, records::RunRecord>>;

/// What the tables and pages are made from; nothing but run folders is needed for it.
struct Report {
  std::string title;
  NamedRuns runs;  ///< of an experiment: the cases that have been run, in its order
  std::optional<ExperimentRecord> experiment;
  std::optional<records::FrontRecord> front;  ///< of a folder with front.json; then its runs are not read
  std::filesystem::path folder{};             ///< of a front or an experiment
};

/// Run folders, folders above some, or one folder of an experiment or of a front. Error(usage) where a folder does not
/// exist, Error(data) where there is no run in it.
Report load_report(const std::vector<std::filesystem::path>& folders);

/// One expectation checked on one case: on the mean over its seeds.
struct Verdict {
  std::string case_name, what, source;
  double value = 0;
  bool known = false;  ///< false where the case was not run, or its run does not know the quantity
  bool met = false;
  std::string rule;
  bool has_run = false;
  bool partial = false;  ///< some seeds of the case, or of those it is compared with, are not done
};

std::vector<Verdict> judge(const ExperimentRecord& experiment, const NamedRuns& runs);
/// "met", "missed", "not run", "incomplete" where seeds are missing or go on, or "no value" where the run does not know
/// the quantity.
std::string outcome(const Verdict& verdict);

std::string markdown(const Report& report);
/// booktabs tables, to be put into a document.
std::string latex(const Report& report);
/// One row per run, RFC 4180, every digit of every number, with the quantities of an experiment's tables: for programs.
std::string csv(const Report& report);
/// One page that asks nothing of any network. Its figures are drawn as SVG; with the text of the chart library
/// (chart_library() in page.hpp) they become interactive.
std::string html(const Report& report, const std::string& chart_library = "");
/// For a terminal: how each run stands, its last values with sparklines, verdicts; coloured where `colour`.
std::string terminal(const Report& report, bool colour);

}  // namespace moblo::lab::report
