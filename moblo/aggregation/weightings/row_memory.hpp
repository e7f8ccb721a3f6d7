#pragma once

#include <string>
#include <utility>
#include <vector>

#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/base/error.hpp"

namespace moblo::aggregation {

/// One number per task and shared parameter that a weighting carries on; sized, with zeros, by the first gradients.
class RowMemory {
 public:
  RowMemory(std::string who, std::string key) : who_(std::move(who)), key_(std::move(key)) {}

  void clear() { values_.clear(); }

  /// The numbers, row by row; throws before anything changes where a gradient is not finite or has another size.
  template <class Scalar>
  double* open(const GradientRows<Scalar>& rows) {
    refuse_unless_finite(who_, rows);
    const auto size = static_cast<std::size_t>(rows.rows * rows.columns);
    if (values_.empty()) values_.assign(size, 0.0);
    if (values_.size() != size) {
      throw Error(ErrorKind::problem, who_ + ": gradients of another size than before",
                  "it remembers one number per task and shared parameter", "Start again with these parameters");
    }
    return values_.data();
  }

  WeightingState save(Json values) const { return {.values = std::move(values), .arrays = {{key_, values_}}}; }
  void restore(const WeightingState& state) {
    clear();
    for (const auto& [key, values] : state.arrays) {
      if (key == key_) values_ = values;
    }
  }

 private:
  std::string who_, key_;
  std::vector<double> values_;  // empty before the first step
};

}  // namespace moblo::aggregation
