#include <fmt/format.h>

#include <filesystem>

#include "cli/cell_pool.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "lab/experiments/preparation.hpp"
#include "lab/report/front_page.hpp"
#include "lab/report/report.hpp"
#include "moblo/base/error.hpp"
#include "moblo/fronts/planner.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;
using lab::experiments::FrontPlan;

/// Threads and the path of the file change nothing of a front.
Json identity(const FrontPlan& plan) {
  Json json = plan.to_json();
  json.erase("source");
  json["config"].erase("threads");
  return json;
}

/// A folder goes on with its own front only.
void refuse_other_front(const fs::path& folder, const FrontPlan& plan) {
  lab::report::refuse_run_folder(folder, records::SetOfRuns::front);
  const auto before = lab::experiments::read_front_plan(folder);
  if (!before || identity(*before) == identity(plan)) return;
  throw Error(ErrorKind::config, folder.string(), "holds a front with other options",
              fmt::format("Choose another --out, or go on with it: moblo front --resume {}", folder.string()));
}

FrontPlan stored_plan(const fs::path& folder) {
  auto plan = lab::experiments::read_front_plan(folder);
  if (plan) return std::move(*plan);
  throw Error(ErrorKind::usage, folder.string(), "holds no front to go on with: it has no front_plan.json",
              "Name the folder that --out gave, or start a new front");
}

std::vector<std::string> objectives_of(const FrontPlan& plan) {
  const auto problem = lab::experiments::problem_of(plan.run);
  return gradients::check_contract(*problem).objectives;
}

/// One front, wave by wave, each point in a process of its own.
class FrontRun {
 public:
  FrontRun(const FrontPlan& plan, const fs::path& folder, bool quiet)
      : plan_(plan), folder_(folder), quiet_(quiet), planner_(plan.options, objectives_of(plan)) {}

  FrontRecord run() {
    std::string why;
    while (why.empty()) {
      const auto wave = planner_.next();
      if (wave.empty()) {
        why = planner_.stopped_because();
        break;
      }
      run_wave(wave);
      why = reason_to_stop();
      write("running");
    }
    return write(why);
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  std::size_t not_started() const { return not_started_; }

 private:
  void run_wave(const std::vector<fronts::PlannedPoint>& wave) {
    lab::experiments::ExperimentPlan cells;
    cells.record.title = plan_.title;
    cells.jobs = plan_.jobs;
    for (const auto& point : wave) {
      cells.runs.push_back(lab::experiments::plan_point(plan_, point));
      refuse_other_plan(folder_ / cells.runs.back().folder, cells.runs.back(), "Choose another --out");
    }
    const PoolOptions options{fs::read_symlink("/proc/self/exe"), folder_, false, quiet_, outcomes_.size(),
                              planner_.points_expected()};
    const auto ended = run_cells(cells, options);
    for (const auto& outcome : ended) {
      for (std::size_t i = 0; i < wave.size(); ++i) {
        if (folder_ / cells.runs[i].folder == outcome.folder) planner_.ended(wave[i].index, outcome.summary);
      }
    }
    not_started_ += wave.size() - ended.size();
    outcomes_.insert(outcomes_.end(), ended.begin(), ended.end());
  }

  /// What is not finite is a result, and the same in every run; what failed or was interrupted may end well next time,
  /// and the points after it would begin elsewhere without it.
  std::string reason_to_stop() const {
    if (not_started_ > 0 || stop_on_interrupt()) return "interrupted";
    for (const auto& outcome : outcomes_) {
      if (outcome.summary.status == RunStatus::interrupted) return "interrupted";
      if (outcome.summary.status == RunStatus::failed) return fmt::format("{} failed", outcome.name);
    }
    return "";
  }

  FrontRecord write(const std::string& stopped_because) const {
    FrontRecord front = planner_.record(stopped_because);
    front.title = plan_.title;
    front.problem = plan_.run.problem;
    front.method = plan_.run.method;
    front.seed = plan_.run.seed;
    for (auto& point : front.points) {
      const auto run = fronts::folder_of_point(static_cast<std::size_t>(point.index));
      if (!records::is_run_folder(folder_ / run)) continue;
      point.run = run;
      if (fs::exists(folder_ / run / "model.safetensors")) point.model = fmt::format("{}/model.safetensors", run);
    }
    records::write_front(folder_, front);
    return front;
  }

  const FrontPlan& plan_;
  const fs::path& folder_;
  bool quiet_;
  fronts::FrontPlanner planner_;
  std::vector<Outcome> outcomes_;
  std::size_t not_started_ = 0;
};

}  // namespace

int front(const FrontArguments& arguments) {
  FrontPlan plan = arguments.resume.empty() ? planned(arguments) : stored_plan(arguments.resume);
  if (arguments.jobs) plan.jobs = *arguments.jobs;
  const fs::path folder = !arguments.resume.empty() ? fs::path(arguments.resume)
                          : arguments.out.empty()   ? fs::path("runs") / (plan.name + "-front")
                                                    : fs::path(arguments.out);
  refuse_other_front(folder, plan);
  const records::FolderLock lock(folder);
  FrontRun run(plan, folder, arguments.quiet);
  refuse_other_front(folder, plan);  // somebody may have been faster
  records::drop_temporaries(folder);
  if (!lab::experiments::read_front_plan(folder)) lab::experiments::write_front_plan(folder, plan);
  const FrontRecord found = run.run();
  const Conclusion conclusion{run.outcomes(), folder, run.not_started(),
                              fmt::format("moblo front --resume {}", shell_quoted(folder.string()))};
  tell_what_went_wrong(conclusion);
  const fs::path page = lab::report::write_front_page(folder);
  if (arguments.json) {
    print_json(records::to_json(found));
  } else {
    fmt::print("{}\nPage: {}\n", lab::report::terminal(lab::report::load_report({folder}), wants_colour()),
               page.string());
  }
  return exit_code(conclusion);
}

}  // namespace moblo::cli
