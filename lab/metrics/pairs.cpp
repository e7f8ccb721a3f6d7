#include "lab/metrics/pairs.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::lab::metrics {

void refuse_unless_paired(std::size_t truths, std::size_t predictions) {
  if (truths == predictions && truths > 0) return;
  throw Error(ErrorKind::data, fmt::format("{} predictions for {} labels", predictions, truths),
              "a metric needs one for each, and at least one", "");
}

double measured(double sum, std::int64_t count) {
  if (count > 0) return sum / static_cast<double>(count);
  throw Error(ErrorKind::data, "a metric of no samples", "nothing valid was added to it", "Check the validity masks");
}

}  // namespace moblo::lab::metrics
