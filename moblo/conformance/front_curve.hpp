#pragma once

#include <functional>
#include <utility>

#include "moblo/conformance/known_front.hpp"

namespace moblo::conformance {

/// A front of two objectives as a curve: s in [0, 1] -> (F_1, F_2), F_1 strictly rising and F_2 strictly falling.
class FrontCurve : public KnownFront {
 public:
  using Point = std::pair<double, double>;

  explicit FrontCurve(std::function<Point(double)> at) : at_(std::move(at)) {}

  std::size_t objectives() const override { return 2; }
  double diameter() const override;
  double distance(const LossVector& losses) const override;
  std::optional<LossVector> on_ray(const LossVector& preference, const LossVector& reference) const override;
  /// At equal lengths along the curve, both ends among them.
  std::vector<LossVector> points(std::size_t count) const override;

  LossVector at(double s) const;

 private:
  std::function<Point(double)> at_;
};

}  // namespace moblo::conformance
