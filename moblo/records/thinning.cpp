#include "moblo/records/thinning.hpp"

#include <algorithm>
#include <limits>

namespace moblo::records {
namespace {

/// Calls use(index, value) for every number that a report may draw; an index is the same quantity in every record of a
/// run, as long as the lists keep their lengths.
template <class Use>
void for_each_quantity(const StepRecord& record, const Use& use) {
  std::size_t index = 0;
  for (const double value : {record.lower_loss, record.q, record.kkt, record.nu, record.distance.value_or(0)}) {
    use(index++, value);
  }
  for (const auto* list : {&record.losses, &record.weights, &record.gradient_norms, &record.conflict_cosines}) {
    for (const double value : *list) use(index++, value);
  }
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t lowest = 0, highest = 0;
};

/// Leaves the records that hold an extreme of some quantity. NaN is none; a stretch of nothing else keeps its first.
void keep_extremes(std::vector<StepRecord>& records) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for_each_quantity(records[i], [&](std::size_t index, double value) {
      if (index >= ranges.size()) ranges.resize(index + 1);
      auto& range = ranges[index];
      if (value < range.low) range.low = value, range.lowest = i;
      if (value > range.high) range.high = value, range.highest = i;
    });
  }
  std::vector<bool> kept(records.size());
  for (const auto& range : ranges) kept[range.lowest] = kept[range.highest] = true;
  std::size_t i = 0;
  std::erase_if(records, [&](const StepRecord&) { return !kept[i++]; });
}

constexpr std::size_t loose_records = 64;  // in a stretch, before it is looked at again

}  // namespace

void StepThinner::add(StepRecord record) {
  last_ = record;
  ++count_;
  if (!thinned() && exact_.size() < most_exact) {
    exact_.push_back(std::move(record));
    return;
  }
  if (!thinned()) begin_stretches();
  add_to_stretches(std::move(record));
}

void StepThinner::begin_stretches() {
  stride_ = most_exact / most_stretches;
  count_ = 0;
  for (auto& record : exact_) {
    ++count_;
    add_to_stretches(std::move(record));
  }
  ++count_;
  exact_ = {};
}

void StepThinner::add_to_stretches(StepRecord record) {
  const auto index = (count_ - 1) / stride_;
  if (index == most_stretches) {
    for (std::size_t i = 0; i < most_stretches / 2; ++i) {
      auto merged = std::move(stretches_[2 * i]);
      auto& second = stretches_[2 * i + 1];
      std::move(second.begin(), second.end(), std::back_inserter(merged));
      keep_extremes(merged);
      stretches_[i] = std::move(merged);
    }
    stretches_.resize(most_stretches / 2);
    stride_ *= 2;
    return add_to_stretches(std::move(record));
  }
  if (index == stretches_.size()) {
    if (!stretches_.empty()) keep_extremes(stretches_.back());
    stretches_.emplace_back();
  }
  auto& stretch = stretches_.back();
  stretch.push_back(std::move(record));
  if (stretch.size() % loose_records == 0) keep_extremes(stretch);
}

std::vector<StepRecord> StepThinner::take() {
  if (!thinned()) return std::move(exact_);
  std::vector<StepRecord> all;
  for (auto& stretch : stretches_) std::move(stretch.begin(), stretch.end(), std::back_inserter(all));
  if (all.back().k != last_.k) all.push_back(last_);
  return all;
}

void TimingThinner::add(const StepTiming& timing) {
  if (kept_.size() == StepThinner::most_exact) {
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
    kept_.resize(kept_.size() / 2);
    stride_ *= 2;
  }
  if (count_++ % stride_ == 0) kept_.push_back(timing);
  sum_.k = timing.k;
  sum_.peak_bytes = std::max(sum_.peak_bytes, timing.peak_bytes);
  for (const auto& phase : timing.seconds) {
    const auto known = std::find_if(sum_.seconds.begin(), sum_.seconds.end(),
                                    [&](const auto& one) { return one.first == phase.first; });
    if (known == sum_.seconds.end()) {
      sum_.seconds.push_back(phase);
    } else {
      known->second += phase.second;
    }
  }
}

}  // namespace moblo::records
