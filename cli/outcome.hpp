#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/report/experiment_record.hpp"
#include "moblo/base/json.hpp"
#include "moblo/records/records.hpp"

namespace moblo::cli {

struct Outcome {
  std::string name;
  std::filesystem::path folder;
  Summary summary;
  bool bad_input = false;  ///< it failed before it began, for what the user gave
};

/// All that a command did, and how to go on with it.
struct Conclusion {
  std::vector<Outcome> outcomes;
  std::filesystem::path folder;
  std::size_t not_started = 0;  ///< runs that an interrupt kept from starting
  std::string resume_command;
};

/// What went wrong, and how to go on after an interrupt, on standard error.
void tell_what_went_wrong(const Conclusion& conclusion);
/// 0 done, 1 failed, 2 bad input, 130 interrupted: the gravest of them.
int exit_code(const Conclusion& conclusion);

/// Writes report.html, and results.json of an experiment, and tells how it ended: as a table with verdicts, or with
/// `json` as one object (one run: its own fields; several: their list under "runs", sums and worst status at the top).
/// What went wrong also goes to standard error. Returns the exit code: 0 done, 1 failed, 130 interrupted, the gravest
/// of them.
int conclude(const Conclusion& conclusion, bool json);

}  // namespace moblo::cli
