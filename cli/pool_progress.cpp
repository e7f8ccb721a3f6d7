#include "cli/pool_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "moblo/base/text.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::cli {
namespace {

double iterations_of(const lab::experiments::RunPlan& plan) {
  return plan.training.contains("iterations") ? plan.training["iterations"].get<double>() : 0;
}

}  // namespace

PoolProgress::PoolProgress(std::size_t cells, std::size_t jobs, bool quiet, std::size_t done)
    : cells_(cells), jobs_(jobs), done_(done), line_(quiet) {}

void PoolProgress::learn(const std::string& group, double seconds, double iterations) {
  for (const auto& key : {group, std::string()}) {
    paces_[key].seconds += seconds;
    paces_[key].iterations += iterations;
  }
}

void PoolProgress::done_before(const lab::experiments::RunPlan& plan, const Summary& summary) {
  ++done_;
  learn(plan.group, summary.seconds, static_cast<double>(summary.iterations));
  line_.say_for_good(fmt::format("{}: done before, {} iterations", plan.name, summary.iterations));
}

void PoolProgress::ended(const lab::experiments::RunPlan& plan, const Summary& summary) {
  ++done_;
  learn(plan.group, summary.seconds, static_cast<double>(summary.iterations));
  line_.say_for_good(fmt::format("{}: {} after {} iterations, {} ({} of {} cells)", plan.name,
                                 succeeded(summary.status) ? summary.message : std::string(describe(summary.status)),
                                 summary.iterations, base::human_seconds(summary.seconds), done_, cells_));
}

double PoolProgress::seconds_left(const std::vector<RunningCell>& running,
                                  const std::vector<const lab::experiments::RunPlan*>& waiting) const {
  auto paces = paces_;
  for (const auto& cell : running) {
    for (const auto& key : {cell.plan->group, std::string()}) {
      paces[key].seconds += cell.k > cell.first_k ? cell.seconds : 0;
      paces[key].iterations += static_cast<double>(cell.k - cell.first_k);
    }
  }
  const auto pace_of = [&paces](const std::string& group) {
    for (const auto& key : {group, std::string()}) {
      if (const auto found = paces.find(key); found != paces.end() && found->second.iterations > 0) {
        return found->second.seconds / found->second.iterations;
      }
    }
    return -1.0;
  };
  double work = 0, longest = 0;
  const auto add = [&](const lab::experiments::RunPlan& plan, double iterations) {
    const double pace = pace_of(plan.group);
    if (pace < 0) return false;
    work += pace * iterations;
    longest = std::max(longest, pace * iterations);
    return true;
  };
  for (const auto& cell : running) {
    if (!add(*cell.plan, static_cast<double>(cell.iterations - cell.k))) return -1;
  }
  for (const auto* plan : waiting) {
    if (!add(*plan, iterations_of(*plan))) return -1;
  }
  return std::max(longest, work / static_cast<double>(std::max<std::size_t>(1, jobs_)));
}

void PoolProgress::show(const std::vector<RunningCell>& running,
                        const std::vector<const lab::experiments::RunPlan*>& waiting) {
  if (!line_.on_terminal() || !line_.is_due()) return;
  const double left = seconds_left(running, waiting);
  auto line = fmt::format("{} of {} cells done", done_, cells_);
  if (left >= 0) line += fmt::format(", {} left", base::human_seconds(left));
  for (const auto& cell : running) line += fmt::format("  {} {}/{}", cell.plan->name, cell.k, cell.iterations);
  line_.show(std::move(line));
}

}  // namespace moblo::cli
