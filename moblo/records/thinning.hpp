#pragma once

#include <cstddef>
#include <vector>

#include "moblo/records/records.hpp"

namespace moblo::records {

/// Records of a run of any length in bounded memory: all of them up to `most_exact`, beyond that the records that hold
/// the lowest and the highest value of any quantity within each stretch of the run. Curves keep their shape and their
/// extremes so.
class StepThinner {
 public:
  void add(StepRecord record);
  /// In the order of k; the first and the last record are among them.
  std::vector<StepRecord> take();
  bool thinned() const { return stride_ > 0; }

  static constexpr std::size_t most_exact = 100'000, most_stretches = 500;

 private:
  void begin_stretches();
  void add_to_stretches(StepRecord record);

  std::vector<StepRecord> exact_;
  std::vector<std::vector<StepRecord>> stretches_;
  std::size_t stride_ = 0, count_ = 0;  // records in a stretch, and in all; 0: none are made yet
  StepRecord last_;
};

/// The same for times: every record, then every second, every fourth ..., and the exact sum of all.
class TimingThinner {
 public:
  void add(const StepTiming& timing);
  std::vector<StepTiming> take() { return std::move(kept_); }
  const StepTiming& sum() const { return sum_; }

 private:
  std::vector<StepTiming> kept_;
  std::size_t stride_ = 1, count_ = 0;
  StepTiming sum_;
};

}  // namespace moblo::records
