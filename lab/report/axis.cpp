#include "lab/report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/number_text.hpp"

namespace moblo::lab::report {
namespace {

constexpr double wanted_ticks = 5;

double nice_step(double range) {
  const double raw = range / wanted_ticks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// A flat curve gets some room, so that it does not lie on the frame.
void widen_if_flat(double& low, double& high) {
  if (high > low) return;
  const double room = low == 0 ? 1 : std::abs(low) * 0.1;
  low -= room;
  high += room;
}

std::vector<Axis::Tick> ticks_between(double low, double high, double step, std::string (*text)(double)) {
  std::vector<Axis::Tick> ticks;
  const double slack = 1e-9 * step;
  for (double n = std::ceil((low - slack) / step); n * step <= high + slack; ++n) {
    ticks.push_back({n * step, text(n * step)});
  }
  return ticks;
}

std::string plain_text(double value) {
  return number_text(value);
}

}  // namespace

double Axis::position(double value) const {
  if (log) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  return (value - low) / (high - low);
}

Axis linear_axis(double low, double high) {
  widen_if_flat(low, high);
  const double step = nice_step(high - low);
  Axis axis;
  axis.low = std::floor(low / step) * step;
  axis.high = std::ceil(high / step) * step;
  axis.ticks = ticks_between(axis.low, axis.high, step, plain_text);
  return axis;
}

Axis count_axis(double low, double high) {
  if (high <= low) high = low + 1;
  const double step = std::max(1.0, nice_step(high - low));
  // The last record of 20000 iterations is that of 19999: its axis should end at 20k all the same.
  const double next_tick = std::ceil(high / step) * step;
  if (next_tick - high <= 0.005 * (high - low)) high = next_tick;
  Axis axis;
  axis.low = low;
  axis.high = high;
  axis.ticks = ticks_between(low, high, step, count_text);
  return axis;
}

Axis log_axis(double low, double high) {
  int first = static_cast<int>(std::floor(std::log10(low)));
  int last = static_cast<int>(std::ceil(std::log10(high)));
  if (last == first) ++last;
  const int stride = static_cast<int>(std::ceil((last - first) / (wanted_ticks + 1)));
  Axis axis;
  axis.log = true;
  axis.low = std::pow(10, first);
  axis.high = std::pow(10, last);
  for (int decade = first; decade <= last; decade += stride) {
    axis.ticks.push_back({std::pow(10, decade), fmt::format("10<tspan class=\"power\" dy=\"-4\">{}{}</tspan>",
                                                            decade < 0 ? "−" : "", std::abs(decade))});
  }
  return axis;
}

}  // namespace moblo::lab::report
