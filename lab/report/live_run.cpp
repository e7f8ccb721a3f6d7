#include "lab/report/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/run_files.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/line_scanner.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* lists[] = {"losses", "weights", "gradient_norms", "conflict_cosines"};
/// What no run of ours comes near, so that a file with millions of entries per line takes neither memory nor time.
constexpr std::size_t most_entries = 1000, most_phases = 100, most_metrics = 300'000;
constexpr const char* scalars[] = {"q", "kkt", "nu", "lower_loss", "distance"};

std::string entry(const std::string& list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

/// A live page shows what it can: a line that is damaged is left out, `moblo report` names it.
template <class Record, class Scan, class Read>
std::optional<Record> record_of(std::string_view line, const Scan& scan, const Read& read) {
  if (auto record = scan(line)) return record;
  const auto json = base::parse_json(line);
  if (json.is_discarded()) return std::nullopt;
  try {
    return read(json);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code failure;
  const auto time = fs::last_write_time(file, failure);
  return failure ? std::nullopt : std::optional(time);
}

}  // namespace

LiveRun::LiveRun(std::string name, fs::path folder, fs::path root)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      root_(std::move(root)),
      steps_(folder_ / "steps.jsonl"),
      timings_(folder_ / "timings.jsonl"),
      evaluations_(folder_ / "evaluations.jsonl") {
  refuse_strange_files(folder_, root_);
  restart();
}

void LiveRun::restart() {
  recent_ = records::RunRecord();
  recent_.folder = folder_;
  recent_.manifest = records::read_manifest(folder_);
  curves_.clear();
  memory_ = LiveCurve();
  for (auto* tail : {&steps_, &timings_, &evaluations_}) tail->restart();
  records_ = timed_ = metrics_ = 0;
  summary_time_.reset();
  restarts_ = version_ = next_version();
}

bool LiveRun::was_cut() const {
  return steps_.was_cut() || timings_.was_cut() || evaluations_.was_cut();
}

void LiveRun::read_summary_file() {
  const auto time = time_of(folder_ / "summary.json");
  if (time == summary_time_) return;
  summary_time_ = time;
  recent_.summary = records::read_summary(folder_);
  version_ = next_version();
}

bool LiveRun::read_on(std::size_t most_bytes) {
  refuse_strange_files(folder_, root_);
  if (was_cut()) restart();
  std::size_t bytes = steps_.read(most_bytes, [&](std::string_view line) {
    if (const auto record = record_of<StepRecord>(line, records::scan_step, records::step_record)) add(*record);
  });
  bytes += timings_.read(most_bytes, [&](std::string_view line) {
    if (const auto timing = record_of<StepTiming>(line, records::scan_timing, records::step_timing)) add(*timing);
  });
  bytes += evaluations_.read(most_bytes, [&](std::string_view line) {
    const auto none = [](std::string_view) { return std::optional<Evaluation>(); };
    if (auto found = record_of<Evaluation>(line, none, records::evaluation)) add(std::move(*found));
  });
  if (bytes > 0) version_ = next_version();
  read_summary_file();
  return bytes > 0;
}

void LiveRun::add(const StepRecord& record) {
  const auto k = static_cast<double>(record.k);
  const auto follow = [&](const std::string& name) {
    const auto value = quantity(record, name);
    if (value) curves_[name].add(k, *value);
    return value.has_value();
  };
  for (const auto* list : lists) {
    for (std::size_t i = 0; i < most_entries && follow(entry(list, i)); ++i) {
    }
  }
  for (const auto* scalar : scalars) follow(scalar);
  recent_.steps.assign(1, record);
  ++records_;
}

void LiveRun::add(const StepTiming& timing) {
  auto& sum = recent_.timing_sum;
  ++timed_;
  sum.k = timing.k;
  sum.peak_bytes = std::max(sum.peak_bytes, timing.peak_bytes);
  if (std::max(timing.seconds.size(), sum.seconds.size()) <= most_phases) add_seconds(timing, sum.seconds);
  if (timing.peak_bytes > 0) memory_.add(static_cast<double>(timing.k), static_cast<double>(timing.peak_bytes));
}

/// Where they become too many, every second one goes.
void LiveRun::add(Evaluation evaluation) {
  auto& kept = recent_.evaluations;
  evaluation.metrics.resize(std::min(evaluation.metrics.size(), most_entries));
  metrics_ += evaluation.metrics.size();
  kept.push_back(std::move(evaluation));
  if (metrics_ <= most_metrics) return;
  for (std::size_t i = 1; 2 * i < kept.size(); ++i) kept[i] = std::move(kept[2 * i]);
  kept.resize((kept.size() + 1) / 2);
  metrics_ = 0;
  for (const auto& one : kept) metrics_ += one.metrics.size();
}

std::size_t LiveRun::stride() const {
  const auto kkt = curves_.find("kkt");
  return kkt == curves_.end() ? 1 : kkt->second.stride();
}

Curve LiveRun::curve(const std::string& name, const std::string& label) const {
  const auto found = curves_.find(name);
  if (name != "peak_bytes" && found == curves_.end()) return {label, {}};
  const auto& live = name == "peak_bytes" ? memory_ : found->second;
  Curve out{label, live.points()};
  const bool same = marked_.restarts == restarts_ && marked_.stride == stride() && live.stride() == stride();
  if (same) out.stable = std::min(2 * (marked_.records / stride()), live.stable());
  return out;
}

std::size_t LiveRun::width(const std::string& list) const {
  std::size_t size = 0;
  while (curves_.contains(entry(list, size))) ++size;
  return size;
}

std::vector<Figure> LiveRun::figures_after(const Seen& seen) const {
  marked_ = seen;
  auto figures = run_figures(*this, recent_.manifest);
  marked_ = {};
  return figures;
}

std::vector<SampleOutcomes> LiveRun::samples() const {
  if (!ended()) return {};
  try {
    refuse_strange_samples(folder_, root_);
    return records::read_sample_outcomes(folder_);
  } catch (const Error&) {
    return {};
  }
}

RunView LiveRun::view() const {
  auto phases = recent_.timing_sum.seconds;
  sort_by_share(phases);
  const auto summary = recent_.summary.value_or(Summary());
  return {run_row(name_, recent_),   folder_,   recent_.manifest, figures_after({}), std::move(phases),
          evaluation_table(recent_), samples(), summary.refit,    summary.warnings};
}

}  // namespace moblo::lab::report
