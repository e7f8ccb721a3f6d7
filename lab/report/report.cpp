#include "lab/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/report/front_page.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;

void refuse_missing(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    const bool page = folder.extension() == ".html";
    throw Error(
        ErrorKind::usage, folder.string(), "is not a folder",
        page ? "To write a page there: --html --out " + folder.string() : "Name a run folder, as --out gave it");
  }
}

/// The last part of the path as the user would say it: "runs/a/" and "." have one as well.
std::string folder_name(const fs::path& folder) {
  std::error_code ignored;
  const auto whole = fs::weakly_canonical(folder, ignored);
  return whole.has_filename() ? whole.filename().string() : folder.string();
}

std::string run_name(const fs::path& root, const fs::path& run) {
  return run == root ? folder_name(root) : run.lexically_relative(root).string();
}

void add_runs_below(const fs::path& root, NamedRuns& runs) {
  const auto found = records::find_runs(root);
  if (found.empty()) {
    throw Error(ErrorKind::data, root.string(), "holds no run: there is no manifest.json in it or below it",
                "Name a run folder, as --out gave it");
  }
  for (const auto& run : found) runs.emplace_back(run_name(root, run), records::read_run(run));
}

/// Two runs of one name, from two roots, are told apart by their paths.
void make_names_unique(NamedRuns& runs) {
  std::multiset<std::string> names;
  for (const auto& [name, run] : runs) names.insert(name);
  for (auto& [name, run] : runs) {
    if (names.count(name) > 1) name = run.folder.lexically_normal().string();
  }
}

Report experiment_report(const fs::path& folder, ExperimentRecord experiment) {
  Report report;
  report.title = experiment.title.empty() ? experiment.name : experiment.title;
  for (const auto& one : experiment.cases) {
    if (records::is_run_folder(folder / one.folder))
      report.runs.emplace_back(one.name, records::read_run(folder / one.folder));
  }
  report.folder = folder;
  report.experiment = std::move(experiment);
  return report;
}

Report front_report(const fs::path& folder, records::FrontRecord front) {
  Report report;
  report.title = front_title(front);
  report.folder = folder;
  report.front = std::move(front);
  return report;
}

std::string title_of(const NamedRuns& runs) {
  if (runs.size() > 1) return fmt::format("{} runs", runs.size());
  const auto& [name, run] = runs.front();
  return run.manifest.title.empty() ? name : run.manifest.title;
}

}  // namespace

Report load_report(const std::vector<fs::path>& folders) {
  if (folders.empty()) {
    throw Error(ErrorKind::usage, "no folder", "a report is made of at least one run",
                "Name a run folder, as --out gave it");
  }
  for (const auto& folder : folders) refuse_missing(folder);
  if (folders.size() == 1) {
    if (auto front = records::read_front(folders[0])) return front_report(folders[0], std::move(*front));
    if (auto experiment = read_experiment(folders[0])) return experiment_report(folders[0], std::move(*experiment));
  }
  Report report;
  for (const auto& folder : folders) add_runs_below(folder, report.runs);
  make_names_unique(report.runs);
  report.title = title_of(report.runs);
  return report;
}

}  // namespace moblo::lab::report
