#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/console.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {

Progress::Progress(std::string name, bool quiet)
    : name_(std::move(name)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::started(const gradients::ProblemShape& shape, std::int64_t first_k, std::int64_t iterations) {
  first_k_ = first_k;
  iterations_ = iterations;
  watch_ = base::Stopwatch();
  last_shown_ = 0;
  if (quiet_) return;
  say(fmt::format("{}: m = {}, n = {}, p = {}, iterations {} to {}\n", name_, shape.m, shape.n, shape.p, first_k,
                  iterations));
}

std::string Progress::numbers(const StepRecord& record) const {
  std::string text = fmt::format("q {:.1e}  K {:.1e}", record.q, record.kkt);
  if (record.distance) text += fmt::format("  E {:.1e}", *record.distance);
  return text;
}

std::string Progress::bar(const StepRecord& record) const {
  constexpr int width = 30;
  const auto done = static_cast<double>(record.k + 1),
             all = static_cast<double>(std::max<std::int64_t>(1, iterations_));
  const int filled = static_cast<int>(width * done / all);
  const double rate = (done - static_cast<double>(first_k_)) / std::max(1e-9, watch_.seconds());
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {}/{}  {:.0f}/s  {} left  {}", "", filled, "", width - filled,
                     100 * done / all, record.k + 1, iterations_, rate, base::human_seconds((all - done) / rate),
                     numbers(record));
}

void Progress::stepped(const StepRecord& record, const StepTiming&) {
  if (quiet_) return;
  const double now = watch_.seconds();
  if (now - last_shown_ < (terminal_ ? redraw_seconds : line_seconds)) return;
  last_shown_ = now;
  if (terminal_) {
    say(fmt::format("\r\033[K{}", bar(record)));
  } else {
    say(fmt::format("{}: {}/{}  {}\n", name_, record.k + 1, iterations_, numbers(record)));
  }
  std::fflush(stderr);
}

void Progress::ended(const Summary& summary) {
  if (quiet_) return;
  say(fmt::format("{}{}: {} after {} iterations, {}\n", terminal_ ? "\r\033[K" : "", name_, describe(summary.status),
                  summary.iterations, base::human_seconds(summary.seconds)));
}

}  // namespace moblo::cli
