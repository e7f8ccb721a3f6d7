#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "moblo/base/text.hpp"

namespace moblo::cli {

Progress::Progress(std::string name, bool quiet) : name_(std::move(name)), line_(quiet) {}

void Progress::started(const gradients::ProblemShape& shape, std::int64_t first_k, std::int64_t iterations) {
  first_k_ = first_k;
  iterations_ = iterations;
  watch_ = base::Stopwatch();
  line_ = ProgressLine(line_.quiet());  // reading data is no progress of the run
  line_.say_for_good(fmt::format("{}: m = {}, n = {}, p = {}, iterations {} to {}", name_, shape.m, shape.n, shape.p,
                                 first_k, iterations));
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
  if (!line_.is_due()) return;
  line_.show(line_.on_terminal() ? bar(record)
                                 : fmt::format("{}: {}/{}  {}", name_, record.k + 1, iterations_, numbers(record)));
}

void Progress::ended(const Summary& summary) {
  line_.say_for_good(fmt::format("{}: {} after {} iterations, {}", name_, describe(summary.status), summary.iterations,
                                 base::human_seconds(summary.seconds)));
}

}  // namespace moblo::cli
