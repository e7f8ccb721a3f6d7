#include "lab/metrics/regression.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/metrics/pairs.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::metrics {

AbsoluteErrors::AbsoluteErrors(std::int64_t quantities) : sums_(static_cast<std::size_t>(quantities), 0) {}

void AbsoluteErrors::add(std::span<const float> truth, std::span<const float> predicted) {
  refuse_unless_paired(truth.size(), predicted.size());
  if (sums_.empty() || truth.size() % sums_.size() != 0) {
    throw Error(ErrorKind::data, fmt::format("{} values", truth.size()),
                fmt::format("are not samples of {} quantities", sums_.size()), "Check the shape");
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    sums_[i % sums_.size()] += std::abs(static_cast<double>(predicted[i]) - static_cast<double>(truth[i]));
  }
  samples_ += static_cast<std::int64_t>(truth.size() / sums_.size());
}

std::vector<double> AbsoluteErrors::means() const {
  std::vector<double> means;
  for (const double sum : sums_) means.push_back(measured(sum, samples_));
  return means;
}

}  // namespace moblo::lab::metrics
