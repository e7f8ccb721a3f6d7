#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/arena_tables.hpp"
#include "cli/cell_pool.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "lab/report/arena_page.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;
using lab::experiments::ArenaPlan;
using lab::experiments::ArenaProblem;
using lab::experiments::RunPlan;
using lab::report::ArenaRecord;

/// A folder goes on with its own arena only.
void refuse_other_arena(const fs::path& folder, const ArenaPlan& plan) {
  lab::report::refuse_run_folder(folder, records::SetOfRuns::arena);
  const auto before = lab::experiments::read_arena_plan(folder);
  if (!before || before->content == plan.content) return;
  throw Error(ErrorKind::config, folder.string(), "holds an arena with other options",
              fmt::format("Choose another --out, or go on with it: moblo arena --resume {}", folder.string()));
}

ArenaPlan stored_arena(const fs::path& folder) {
  auto plan = lab::experiments::read_arena_plan(folder);
  if (plan) return std::move(*plan);
  throw Error(ErrorKind::usage, folder.string(), "holds no arena to go on with: it has no arena_plan.json",
              "Name the folder that --out gave, or start a new arena");
}

/// First all candidates on one seed, then the chosen ones on the others.
class ArenaRun {
 public:
  ArenaRun(const ArenaPlan& plan, const fs::path& folder, bool quiet, std::int64_t jobs)
      : plan_(plan), folder_(folder), quiet_(quiet), jobs_(jobs), record_(lab::experiments::empty_record(plan)) {}

  ArenaRecord run() {
    total_ = suitable_cells() * (count_of_candidates() + record_.seeds.size());
    try_candidates();
    if (whole()) choose();
    write("not all step sizes are tried");
    if (whole()) judge();
    write(whole() ? ended_text() : "Some cells are missing");
    return record_;
  }

  /// Without those whose numbers were not finite: that is a result, the worst there is.
  std::vector<Outcome> bad_outcomes() const {
    std::vector<Outcome> bad;
    for (const auto& outcome : outcomes_) {
      const auto status = outcome.summary.status;
      if (status == RunStatus::failed || status == RunStatus::interrupted) bad.push_back(outcome);
    }
    return bad;
  }
  std::size_t not_started() const { return not_started_; }

 private:
  std::size_t count_of_candidates() const { return static_cast<std::size_t>(plan_.options.candidates); }
  std::size_t suitable_cells() const {
    std::size_t count = 0;
    for (const auto& cell : record_.cells) count += cell.unsuitable.empty() ? 1 : 0;
    return count;
  }
  bool whole() const {
    return not_started_ == 0 && !stop_on_interrupt() && std::none_of(outcomes_.begin(), outcomes_.end(), is_unfinished);
  }
  /// Interrupted, or its process died without a word: next time it ends, and may be the best candidate.
  static bool is_unfinished(const Outcome& one) {
    const auto status = one.summary.status;
    return status == RunStatus::interrupted ||
           (status == RunStatus::failed && !one.bad_input && !records::is_present(one.folder / "summary.json"));
  }

  std::string ended_text() const {
    const auto failed = bad_outcomes().size();
    if (failed == 0) return "All cells are done";
    return fmt::format("All cells are done; {} of {} runs failed and count as the worst", failed, outcomes_.size());
  }

  template <class Use>
  void for_each_cell(Use use) {
    for (std::size_t p = 0; p < plan_.problems.size(); ++p) {
      for (std::size_t m = 0; m < record_.methods.size(); ++m) {
        if (record_.cell(p, m).unsuitable.empty()) use(plan_.problems[p], record_.methods[m], record_.cell(p, m));
      }
    }
  }

  void run_wave(std::vector<RunPlan> runs) {
    lab::experiments::ExperimentPlan wave;
    wave.record.title = record_.title;
    wave.jobs = jobs_;
    wave.runs = std::move(runs);
    for (const auto& run : wave.runs) refuse_other_plan(folder_ / run.folder, run, "Choose another --out");
    const auto ended =
        run_cells(wave, {fs::read_symlink("/proc/self/exe"), folder_, false, quiet_, outcomes_.size(), total_});
    not_started_ += wave.runs.size() - ended.size();
    outcomes_.insert(outcomes_.end(), ended.begin(), ended.end());
  }

  /// One run of each problem goes first: a score that no run knows is told then, and not after all of them.
  void try_candidates() {
    std::vector<RunPlan> first, others;
    std::set<std::string> begun;
    for_each_cell([&](const auto& problem, const auto& method, auto& cell) {
      for (std::size_t i = 0; i < count_of_candidates(); ++i) {
        auto run = plan_cell(plan_, problem, method, i, static_cast<std::uint64_t>(record_.selection_seed));
        const auto steps = lab::experiments::step_sizes(problem, i);
        cell.candidates.push_back({steps.alpha, steps.omega, steps.lower, run.folder, "", {}});
        (begun.insert(problem.name).second ? first : others).push_back(std::move(run));
      }
    });
    run_wave(std::move(first));
    for_each_cell([&](const auto& problem, const auto&, const auto& cell) { read_candidate(problem, cell, 0); });
    run_wave(std::move(others));
  }

  /// Empty where it has not been run, or failed before it began.
  std::optional<records::RunRecord> read_candidate(const ArenaProblem& problem, const ArenaRecord::Cell& cell,
                                                   std::size_t index) const {
    const auto folder = folder_ / cell.candidates[index].run;
    if (!records::is_run_folder(folder)) return std::nullopt;
    auto run = records::read_run(folder);
    for (const auto& score : {problem.choice_score(), problem.joint_score()}) {
      lab::report::refuse_unknown_quantities(run, score, problem.name);
    }
    return run;
  }

  /// The lowest score; the first candidate where no run has any.
  void choose() {
    for_each_cell([&](const auto& problem, const auto&, auto& cell) {
      std::size_t best = 0;
      for (std::size_t i = 0; i < cell.candidates.size(); ++i) {
        auto& one = cell.candidates[i];
        const auto run = read_candidate(problem, cell, i);
        one.status = run && run->summary ? base::name(run->summary->status) : "failed";
        if (run) one.choice = score_of(*run, problem.choice_score(), lab::report::ArenaModel::joint);
        const auto& before = cell.candidates[best].choice;
        if (one.choice && (!before || *one.choice < *before)) best = i;
      }
      cell.chosen = static_cast<std::int64_t>(best);
    });
  }

  void judge() {
    std::vector<RunPlan> runs;
    for_each_cell([&](const auto& problem, const auto& method, const auto& cell) {
      for (const auto seed : record_.seeds) {
        runs.push_back(plan_cell(plan_, problem, method, static_cast<std::size_t>(*cell.chosen),
                                 static_cast<std::uint64_t>(seed)));
      }
    });
    run_wave(runs);
    if (!whole()) return;
    std::size_t next = 0;
    for_each_cell([&](const auto& problem, const auto&, auto& cell) {
      for (const auto seed : record_.seeds) {
        const auto& folder = runs[next++].folder;
        ArenaRecord::Trial trial;
        trial.status = "failed";
        if (records::is_run_folder(folder_ / folder)) {
          const auto run = records::read_run(folder_ / folder);
          trial = lab::report::trial_of(run, problem.joint_score(), problem.refit_score());
          trial.status = run.summary ? base::name(run.summary->status) : "failed";
        }
        trial.seed = seed;
        trial.run = folder;
        cell.trials.push_back(std::move(trial));
      }
    });
  }

  void write(const std::string& stopped_because) {
    record_.stopped_because = stopped_because;
    lab::report::write_arena(folder_, record_);
  }

  const ArenaPlan& plan_;
  const fs::path& folder_;
  bool quiet_;
  std::int64_t jobs_;
  ArenaRecord record_;
  std::vector<Outcome> outcomes_;
  std::size_t not_started_ = 0, total_ = 0;
};

}  // namespace

int arena(const ArenaArguments& arguments) {
  const ArenaPlan plan = arguments.resume.empty() ? planned(arguments) : stored_arena(arguments.resume);
  const fs::path folder = !arguments.resume.empty() ? fs::path(arguments.resume)
                          : arguments.out.empty()   ? fs::path("runs") / plan.name
                                                    : fs::path(arguments.out);
  refuse_other_arena(folder, plan);
  const records::FolderLock lock(folder);
  refuse_other_arena(folder, plan);  // somebody may have been faster
  records::drop_temporaries(folder);
  if (!lab::experiments::read_arena_plan(folder)) lab::experiments::write_arena_plan(folder, plan);
  ArenaRun run(plan, folder, arguments.quiet, arguments.jobs.value_or(0));
  const ArenaRecord record = run.run();
  const auto page = lab::report::write_arena_page(folder);
  const Conclusion conclusion{run.bad_outcomes(), folder, run.not_started(),
                              fmt::format("moblo arena --resume {}", shell_quoted(folder.string()))};
  const bool good = conclusion.outcomes.empty() && conclusion.not_started == 0;
  if (!good) tell_what_went_wrong(conclusion);
  if (arguments.json) {
    print_json(lab::report::to_json(record));
  } else {
    fmt::print("{}Arena: {}, {}\n", arena_tables(record), (folder / "arena.json").string(), page.string());
  }
  return good ? 0 : exit_code(conclusion);
}

}  // namespace moblo::cli
