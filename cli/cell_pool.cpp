#include "cli/cell_pool.hpp"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/cell_process.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/pool_progress.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

constexpr int poll_milliseconds = 100;

std::size_t jobs_of(const lab::experiments::ExperimentPlan& plan) {
  const auto wanted =
      plan.jobs > 0 ? static_cast<std::size_t>(plan.jobs) : static_cast<std::size_t>(base::probe_cpu().cores);
  return std::clamp<std::size_t>(wanted, 1, plan.runs.size());
}

/// Threads change the pace of a run, not what it is; its manifest keeps the number it was started with.
Json without_threads(Json config) {
  config.erase("threads");
  return config;
}

/// As it reads now: an option that an older version did not know has its default.
Json config_of(const fs::path& folder) {
  const auto written = records::read_manifest(folder).config;
  try {
    return lab::experiments::plan_resume(written, {}).config();
  } catch (const Error&) {
    return written;
  }
}

class Pool {
 public:
  Pool(const lab::experiments::ExperimentPlan& plan, const PoolOptions& options)
      : plan_(plan),
        options_(options),
        jobs_(jobs_of(plan)),
        stop_(stop_on_interrupt()),
        progress_(options.total > 0 ? options.total : plan.runs.size(), jobs_, options.quiet, options.done),
        outcomes_(plan.runs.size()) {}

  std::vector<Outcome> run() {
    while (next_ < plan_.runs.size() || !cells_.empty()) {
      start_more();
      if (stop_ && cells_.empty()) break;
      pass_on_interrupt();
      wait();
      progress_.show(running(), waiting());
    }
    std::vector<Outcome> in_order;
    for (auto& outcome : outcomes_) {
      if (outcome) in_order.push_back(std::move(*outcome));
    }
    return in_order;
  }

 private:
  struct Cell {
    std::size_t index;
    std::unique_ptr<CellProcess> process;
    base::Stopwatch watch{};
  };

  fs::path folder_of(std::size_t index) const { return options_.folder / plan_.runs[index].folder; }

  void start_more() {
    while (!stop_ && next_ < plan_.runs.size() && cells_.size() < jobs_) start(next_++);
  }

  void start(std::size_t index) {
    const auto& plan = plan_.runs[index];
    const auto folder = folder_of(index);
    if (records::is_run_folder(folder)) {
      const auto before = records::read_summary(folder);
      if (!options_.fresh && before && succeeded(before->status)) {
        outcomes_[index] = Outcome{plan.name, folder, *before};
        progress_.done_before(plan, *before);
        return;
      }
      const bool nothing_saved = before && !records::has_checkpoint(folder);
      if ((options_.fresh || nothing_saved) && !remove_run(index)) return;
    }
    cells_.push_back({index, std::make_unique<CellProcess>(options_.engine, plan, plan_.record.title, folder)});
  }

  /// Its lock keeps it from a process of somebody else that has begun to write there.
  bool remove_run(std::size_t index) {
    Outcome outcome{plan_.runs[index].name, folder_of(index), {}};
    try {
      const records::FolderLock lock(outcome.folder);
      fs::remove_all(outcome.folder);
      return true;
    } catch (const std::exception& error) {
      outcome.summary.status = RunStatus::failed;
      outcome.summary.message = error.what();
    }
    progress_.ended(plan_.runs[index], outcome.summary);
    outcomes_[index] = std::move(outcome);
    return false;
  }

  void pass_on_interrupt() {
    if (!stop_ || passed_on_) return;
    passed_on_ = true;
    for (auto& cell : cells_) cell.process->interrupt();
  }

  void wait() {
    std::vector<pollfd> descriptors;
    for (const auto& cell : cells_) descriptors.push_back({cell.process->descriptor(), POLLIN, 0});
    if (descriptors.empty()) return;
    poll(descriptors.data(), descriptors.size(), poll_milliseconds);
    std::erase_if(cells_, [this](Cell& cell) {
      if (cell.process->read_progress()) return false;
      conclude_cell(cell);
      return true;
    });
  }

  void conclude_cell(const Cell& cell) {
    const auto& plan = plan_.runs[cell.index];
    const auto complaint = cell.process->complaint();
    const auto summary = cell.process->has_summary() ? records::read_summary(folder_of(cell.index)) : std::nullopt;
    Outcome outcome{plan.name, folder_of(cell.index), {}};
    if (summary) {
      outcome.summary = *summary;
      if (!complaint.empty()) say(complaint + "\n");
    } else {
      outcome.summary.status = stop_ ? RunStatus::interrupted : RunStatus::failed;
      outcome.bad_input = cell.process->exit_code() == 2;
      outcome.summary.message = complaint.starts_with("moblo: ") ? complaint.substr(7) : complaint;
      outcome.summary.iterations = cell.process->k();
      outcome.summary.seconds = cell.watch.seconds();
    }
    progress_.ended(plan, outcome.summary);
    outcomes_[cell.index] = std::move(outcome);
  }

  std::vector<RunningCell> running() const {
    std::vector<RunningCell> all;
    for (const auto& cell : cells_) {
      all.push_back({&plan_.runs[cell.index], cell.process->first_k(), cell.process->k(), cell.process->iterations(),
                     cell.watch.seconds()});
    }
    return all;
  }

  std::vector<const lab::experiments::RunPlan*> waiting() const {
    std::vector<const lab::experiments::RunPlan*> all;
    for (auto i = next_; i < plan_.runs.size(); ++i) all.push_back(&plan_.runs[i]);
    return all;
  }

  const lab::experiments::ExperimentPlan& plan_;
  const PoolOptions& options_;
  std::size_t jobs_, next_ = 0;
  const std::atomic<bool>& stop_;
  bool passed_on_ = false;
  PoolProgress progress_;
  std::vector<Cell> cells_;
  std::vector<std::optional<Outcome>> outcomes_;
};

}  // namespace

void refuse_other_plan(const fs::path& folder, const lab::experiments::RunPlan& plan, const std::string& next) {
  if (!records::is_run_folder(folder)) return;
  if (without_threads(config_of(folder)) == without_threads(plan.config())) return;
  throw Error(ErrorKind::config, folder.string(), "holds a run with other options than the experiment has now", next);
}

std::vector<Outcome> run_cells(const lab::experiments::ExperimentPlan& plan, const PoolOptions& options) {
  return Pool(plan, options).run();
}

}  // namespace moblo::cli
