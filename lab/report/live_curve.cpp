#include "lab/report/live_curve.hpp"

#include <cmath>

namespace moblo::lab::report {

/// A value that is not a number gives way to one that is.
void LiveCurve::merge(Stretch& into, const Stretch& other) {
  if (std::isnan(into.low.y) || other.low.y < into.low.y) into.low = other.low;
  if (std::isnan(into.high.y) || other.high.y > into.high.y) into.high = other.high;
}

void LiveCurve::halve() {
  for (std::size_t i = 0; i < stretches_.size(); i += 2) {
    merge(stretches_[i], stretches_[i + 1]);
    stretches_[i / 2] = stretches_[i];
  }
  stretches_.resize(stretches_.size() / 2);
  stride_ *= 2;
}

void LiveCurve::add(double x, double y) {
  const Stretch one{{x, y}, {x, y}};
  if (count_ == most_stretches * stride_) halve();
  if (count_ % stride_ == 0) {
    stretches_.push_back(one);
  } else {
    merge(stretches_.back(), one);
  }
  ++count_;
}

std::vector<Point> LiveCurve::points() const {
  std::vector<Point> out;
  out.reserve(2 * stretches_.size());
  for (const auto& stretch : stretches_) {
    const bool low_first = stretch.low.x <= stretch.high.x;
    out.push_back(low_first ? stretch.low : stretch.high);
    out.push_back(low_first ? stretch.high : stretch.low);
  }
  return out;
}

}  // namespace moblo::lab::report
