#pragma once

#include <cstddef>
#include <vector>

#include "lab/report/figure.hpp"

namespace moblo::lab::report {

/// A curve of any length in bounded memory, built value by value: the lowest and the highest of each stretch. Once
/// there are too many stretches, each two become one.
class LiveCurve {
 public:
  void add(double x, double y);

  /// Two points a stretch, in the order of x.
  std::vector<Point> points() const;
  /// Values in a stretch.
  std::size_t stride() const { return stride_; }
  /// Points that further values do not change while the stride stays.
  std::size_t stable() const { return 2 * (count_ / stride_); }

  static constexpr std::size_t most_stretches = 400;  ///< even, so that they can be paired

 private:
  struct Stretch {
    Point low, high;
  };
  static void merge(Stretch& into, const Stretch& other);
  void halve();

  std::vector<Stretch> stretches_;
  std::size_t stride_ = 1, count_ = 0;
};

}  // namespace moblo::lab::report
