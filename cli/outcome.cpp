#include "cli/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "lab/report/page.hpp"
#include "lab/report/report.hpp"
#include "lab/report/results.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

constexpr int exit_bad_input = 2;

int exit_code(RunStatus status) {
  if (status == RunStatus::interrupted) return exit_interrupted;
  return succeeded(status) ? 0 : 1;
}

int exit_code(const Outcome& outcome) {
  return outcome.bad_input ? exit_bad_input : exit_code(outcome.summary.status);
}

/// There is at least one outcome, or none was started.
const Outcome& gravest(const std::vector<Outcome>& outcomes) {
  return *std::max_element(outcomes.begin(), outcomes.end(),
                           [](const Outcome& a, const Outcome& b) { return exit_code(a) < exit_code(b); });
}

Json one(const Outcome& outcome) {
  Json out;
  out["name"] = outcome.name;
  out["status"] = base::name(outcome.summary.status);
  out["message"] = outcome.summary.message;
  out["run"] = outcome.folder.string();
  out["iterations"] = outcome.summary.iterations;
  out["seconds"] = outcome.summary.seconds;
  out["final"] = outcome.summary.final_state;
  if (outcome.summary.refit) out["refit"] = records::to_json(*outcome.summary.refit);
  if (!outcome.summary.warnings.empty()) out["warnings"] = outcome.summary.warnings;
  return out;
}

Json to_json(const Conclusion& conclusion) {
  const auto& outcomes = conclusion.outcomes;
  if (outcomes.size() == 1 && outcomes.front().folder == conclusion.folder) return one(outcomes.front());
  std::int64_t iterations = 0;
  double seconds = 0;
  Json runs = Json::array(), finals = Json::object();
  for (const auto& outcome : outcomes) {
    iterations += outcome.summary.iterations;
    seconds += outcome.summary.seconds;
    finals[outcome.name] = outcome.summary.final_state;
    runs.push_back(one(outcome));
  }
  const bool cut_short = conclusion.not_started > 0;
  const auto worst = outcomes.empty() ? Summary() : gravest(outcomes).summary;
  Json out;
  out["status"] = base::name(cut_short ? RunStatus::interrupted : worst.status);
  out["message"] = cut_short ? std::string(describe(RunStatus::interrupted)) : worst.message;
  out["run"] = conclusion.folder.string();
  out["iterations"] = iterations;
  out["seconds"] = seconds;
  out["final"] = finals;
  out["runs"] = runs;
  return out;
}

/// A page that cannot be written must not hide how the runs ended.
fs::path write_report(const lab::report::Report& report, const fs::path& folder) {
  const auto page = folder / "report.html";
  try {
    if (report.experiment)
      records::write_text_atomically(folder / "results.json",
                                     records::dump_json(lab::report::results_json(report), 2) + "\n");
    records::write_text_atomically(page, lab::report::html(report, lab::report::chart_library()));
    return page;
  } catch (const Error& error) {
    say(fmt::format("moblo: warning: {}\n", error.what()));
    return {};
  }
}

}  // namespace

int exit_code(const Conclusion& conclusion) {
  return conclusion.not_started > 0 ? exit_interrupted : exit_code(gravest(conclusion.outcomes));
}

void tell_what_went_wrong(const Conclusion& conclusion) {
  std::set<std::string> told;  // cells that fail for the same reason say it once
  for (const auto& outcome : conclusion.outcomes) {
    for (const auto& warning : outcome.summary.warnings) {
      if (told.insert(warning).second) say(fmt::format("moblo: warning: {}\n", warning));
    }
    const int code = exit_code(outcome);
    if (code == 0 || code == exit_interrupted || !told.insert(outcome.summary.message).second) continue;
    say(fmt::format("moblo: {}: {}\n", outcome.folder.string(), outcome.summary.message));
  }
  if (exit_code(conclusion) != exit_interrupted) return;
  say(fmt::format("moblo: interrupted; the state is saved. To go on: {}\n", conclusion.resume_command));
}

int conclude(const Conclusion& conclusion, bool json) {
  tell_what_went_wrong(conclusion);
  const lab::report::Report report = lab::report::load_report({conclusion.folder});
  const auto page = write_report(report, conclusion.folder);
  if (json) {
    print_json(to_json(conclusion));
  } else {
    fmt::print("{}\n", lab::report::markdown(report));
    if (!page.empty()) fmt::print("Report: {}\n", page.string());
  }
  return exit_code(conclusion);
}

}  // namespace moblo::cli
