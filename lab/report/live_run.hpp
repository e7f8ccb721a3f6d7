#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/live_curve.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/run_view.hpp"
#include "moblo/records/line_tail.hpp"

namespace moblo::lab::report {

/// Follows one run folder: reads only what has been appended since it looked last, and keeps of it what a page shows.
/// Throws where the folder cannot be read.
class LiveRun : public CurveSource {
 public:
  /// Reads nothing that a link takes out of `root`, a path without links.
  LiveRun(std::string name, std::filesystem::path folder, std::filesystem::path root = "/");

  /// Reads about as many bytes of new records as allowed; false where nothing is left to be read. A folder that was cut
  /// back, as resuming does, is read again.
  bool read_on(std::size_t most_bytes);

  RunView view() const;
  bool ended() const { return recent_.summary.has_value(); }
  /// Another one each time that something new was read.
  std::uint64_t version() const { return version_; }
  /// Of the curves: while it stays, points that were stable do not change.
  std::size_t stride() const;

  /// How far a reader of the curves got: its stride, and of how many records and timings it has seen both.
  struct Seen {
    std::uint64_t restarts = 0;
    std::size_t stride = 0, records = 0;
  };
  Seen seen() const { return {restarts_, stride(), std::min(records_, timed_)}; }
  /// The figures, in which the points that such a reader has are marked as stable.
  std::vector<Figure> figures_after(const Seen& seen) const;

  Curve curve(const std::string& quantity, const std::string& label) const override;
  std::size_t width(const std::string& list) const override;
  const std::vector<Evaluation>& evaluations() const override { return recent_.evaluations; }

 private:
  void restart();
  bool was_cut() const;
  void read_summary_file();
  std::vector<SampleOutcomes> samples() const;
  void add(const StepRecord& record);
  void add(const StepTiming& timing);
  void add(Evaluation evaluation);

  std::string name_;
  std::filesystem::path folder_, root_;
  records::RunRecord recent_;  ///< its last step, its evaluations, and the sum of its timings
  std::map<std::string, LiveCurve> curves_;
  LiveCurve memory_;
  records::LineTail steps_, timings_, evaluations_;
  std::size_t records_ = 0, timed_ = 0, metrics_ = 0;
  std::uint64_t version_ = 0, restarts_ = 0;
  std::optional<std::filesystem::file_time_type> summary_time_;
  mutable Seen marked_;
};

}  // namespace moblo::lab::report
