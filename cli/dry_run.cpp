#include "cli/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "lab/experiments/preview.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {
namespace {

using lab::experiments::Preview;

constexpr const char* how =
    "Time: a few steps and one evaluation, measured now in a throw-away run on this machine, times their number, and a "
    "tenth for the refit; what stops a run early and the writing of checkpoints are not in it. "
    "Memory: the model of docs/cost_model.md.";

std::string time_text(const Preview& run) {
  if (!run.predicted_seconds) return "no step could be measured";
  const auto steps = run.iterations - run.first_iteration;
  return fmt::format("about {}: {} steps of {:.3g} ms (median of {}), evaluations of {:.3g} ms, {} to begin",
                     base::human_seconds(*run.predicted_seconds), steps, 1e3 * run.step_seconds, run.measured_steps,
                     1e3 * run.evaluation_seconds, base::human_seconds(run.setup_seconds));
}

std::string options_text(const Json& options) {
  std::vector<std::string> all;
  for (const auto& [key, value] : options.items()) all.push_back(fmt::format("{} = {}", key, value.dump()));
  return all.empty() ? "all at their defaults" : fmt::format("{}", fmt::join(all, "\n  "));
}

std::string folder_text(const Preview& run) {
  if (!run.resumed) return fmt::format("{} (new)", run.folder.string());
  return fmt::format("{} (resumed at iteration {})", run.folder.string(), run.first_iteration);
}

void print(const Preview& run) {
  fmt::print(
      "{}\n{}  {}\n\n", run.plan.name,
      table({{"  folder", folder_text(run)},
             {"  problem", fmt::format("{}: m = {} objectives, n = {} upper and p = {} lower variables",
                                       run.plan.problem, run.m, run.n, run.p)},
             {"  method", run.plan.method},
             {"  seed, threads",
              fmt::format("{}, {}", run.plan.seed,
                          run.plan.threads > 0 ? fmt::format("{}", run.plan.threads) : std::string("all cores"))},
             {"  iterations", fmt::format("{}", run.iterations)},
             {"  memory", run.predicted_bytes ? "about " + base::human_bytes(static_cast<double>(*run.predicted_bytes))
                                              : std::string("not predicted: the method does not say")},
             {"  time", time_text(run)},
             {"  options that differ from their defaults:", ""}}),
      options_text(run.options));
}

/// One more seed of the case above it.
void print_seed(const Preview& run) {
  fmt::print("{}\n  folder  {}\n  as above but for the seed\n\n", run.plan.name, folder_text(run));
}

std::optional<double> total_seconds(const std::vector<Preview>& runs) {
  double sum = 0;
  for (const auto& run : runs) {
    if (!run.predicted_seconds) return std::nullopt;
    sum += *run.predicted_seconds;
  }
  return sum;
}

Json to_json(const std::vector<Preview>& runs, const std::filesystem::path& folder) {
  Json out{{"dry_run", true}, {"run", folder.string()}, {"runs", Json::array()}, {"how", how}};
  for (const auto& run : runs) out["runs"].push_back(lab::experiments::to_json(run));
  const auto seconds = total_seconds(runs);
  out["predicted_seconds"] = seconds ? Json(*seconds) : Json();
  std::optional<std::int64_t> most;
  for (const auto& run : runs) {
    if (run.predicted_bytes) most = std::max(most.value_or(0), *run.predicted_bytes);
  }
  out["predicted_bytes"] = most ? Json(*most) : Json();
  return out;
}

int tell(const std::vector<Preview>& runs, const std::filesystem::path& folder, bool json) {
  for (const auto& run : runs) {
    for (const auto& warning : run.warnings) say(fmt::format("moblo: warning: {}\n", warning));
  }
  if (json) {
    print_json(to_json(runs, folder));
    return 0;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool another_seed = i > 0 && runs[i].plan.group == runs[i - 1].plan.group && !runs[i].plan.group.empty();
    another_seed ? print_seed(runs[i]) : print(runs[i]);
  }
  const auto seconds = total_seconds(runs);
  if (runs.size() > 1 && seconds) {
    fmt::print("{} runs, one after the other: about {}\n\n", runs.size(), base::human_seconds(*seconds));
  }
  fmt::print("Nothing was run for good or written. {}\n", how);
  return 0;
}

}  // namespace

int tell_plan(const lab::experiments::ExperimentPlan& plan, const std::filesystem::path& folder, bool json) {
  const auto& stop = stop_on_interrupt();
  const bool single = plan.runs.size() == 1;
  std::vector<Preview> runs;
  for (const auto& run : plan.runs) {
    const auto place = single ? folder : folder / run.folder;
    const auto measured = std::find_if(runs.begin(), runs.end(), [&](const Preview& other) {
      return !run.group.empty() && other.plan.group == run.group;  // another seed costs the same
    });
    runs.push_back(measured == runs.end() ? lab::experiments::preview(run, place, stop)
                                          : lab::experiments::preview_like(*measured, run, place));
    if (stop) return exit_interrupted;
  }
  return tell(runs, folder, json);
}

int tell_resume(const RunArguments& arguments) {
  const auto folder = std::filesystem::path(arguments.resume).lexically_normal();
  const auto& stop = stop_on_interrupt();
  const auto run = lab::experiments::preview_resume(folder, arguments.sets, stop);
  return stop ? exit_interrupted : tell({run}, folder, arguments.json);
}

}  // namespace moblo::cli
