#pragma once

#include <string>
#include <vector>

namespace moblo::lab::report {

/// Maps values to [0, 1] and says where its ticks stand.
struct Axis {
  struct Tick {
    double value;
    std::string label;  ///< SVG text, escaped
  };

  double low = 0, high = 1;
  bool log = false;
  std::vector<Tick> ticks;

  double position(double value) const;
};

/// Ends at ticks of 1, 2 or 5 times a power of ten.
Axis linear_axis(double low, double high);
/// Ends at `low` and `high` themselves, with counts as labels.
Axis count_axis(double low, double high);
/// Ends at decades; both ends must be positive.
Axis log_axis(double low, double high);

}  // namespace moblo::lab::report
