#include "lab/metrics/classification.hpp"

#include <cstddef>
#include <map>

#include "lab/metrics/pairs.hpp"

namespace moblo::lab::metrics {
namespace {

struct Counts {
  double hits = 0, false_alarms = 0, misses = 0;
  double f1() const {
    const double all = 2 * hits + false_alarms + misses;
    return all > 0 ? 2 * hits / all : 0;
  }
};

}  // namespace

double accuracy(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted) {
  refuse_unless_paired(truth.size(), predicted.size());
  double right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predicted[i] ? 1 : 0;
  return right / static_cast<double>(truth.size());
}

double macro_f1(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted) {
  refuse_unless_paired(truth.size(), predicted.size());
  std::map<std::int64_t, Counts> classes;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == predicted[i]) {
      ++classes[truth[i]].hits;
    } else {
      ++classes[truth[i]].misses;
      ++classes[predicted[i]].false_alarms;
    }
  }
  double sum = 0;
  for (const auto& [label, counts] : classes) sum += counts.f1();
  return sum / static_cast<double>(classes.size());
}

double f1(const std::vector<bool>& positive, const std::vector<bool>& flagged) {
  refuse_unless_paired(positive.size(), flagged.size());
  Counts counts;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    counts.hits += positive[i] && flagged[i] ? 1 : 0;
    counts.false_alarms += !positive[i] && flagged[i] ? 1 : 0;
    counts.misses += positive[i] && !flagged[i] ? 1 : 0;
  }
  return counts.f1();
}

}  // namespace moblo::lab::metrics
