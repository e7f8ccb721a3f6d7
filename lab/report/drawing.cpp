#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/report/figure.hpp"

namespace moblo::lab::report {
namespace {

constexpr std::size_t most_points = 800, band_points = 300, trend_points = 60;
constexpr double largest = 1e300;  ///< beyond it, the range of an axis would overflow

bool drawable(const Point& point, bool log) {
  return std::isfinite(point.y) && std::abs(point.y) <= largest &&
         (!log || point.y > std::numeric_limits<double>::min());
}

/// Means of `count` stretches of consecutive points; on a log axis the mean is geometric.
std::vector<Point> averaged(const std::vector<Point>& points, std::size_t count, bool log) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = i * points.size() / count, end = (i + 1) * points.size() / count;
    Point sum{0, 0};
    for (auto j = begin; j < end; ++j) {
      sum.x += points[j].x;
      sum.y += log ? std::log10(points[j].y) : points[j].y;
      sum.deviation += points[j].deviation;
    }
    const auto n = static_cast<double>(end - begin);
    out.push_back({sum.x / n, log ? std::pow(10, sum.y / n) : sum.y / n, sum.deviation / n});
  }
  return out;
}

double height_of(double value, bool log) {
  return log ? std::log10(value) : value;
}

double total_variation(const std::vector<Point>& points, bool log) {
  double sum = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    sum += std::abs(height_of(points[i].y, log) - height_of(points[i - 1].y, log));
  }
  return sum;
}

double range_of(const std::vector<DrawnCurve>& curves, bool log) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& curve : curves) {
    for (const auto& point : curve.points) {
      low = std::min(low, height_of(point.y, log));
      high = std::max(high, height_of(point.y, log));
    }
  }
  return high - low;
}

/// Whether the curve goes up and down so often that it would hide its own course, and its dashes.
bool is_noisy(const std::vector<Point>& points, const std::vector<Point>& trend, double range, bool log) {
  return total_variation(points, log) > 3 * total_variation(trend, log) + 0.6 * range;
}

DrawnCurve drawable_part(const Curve& curve, bool log) {
  DrawnCurve out{curve.label, {}, {}, curve.loose, 0};
  out.points.reserve(curve.points.size());
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (drawable(curve.points[i], log)) out.points.push_back(curve.points[i]);
    if (i + 1 == curve.stable) out.stable = out.points.size();
  }
  return out;
}

void make_readable(DrawnCurve& curve, double range, bool log) {
  const bool band = curve.has_deviation();
  const auto all = std::move(curve.points);
  if (band && all.size() > band_points) {
    curve.points = averaged(all, band_points, log);
    return;
  }
  curve.points = thinned(all, most_points);
  if (curve.loose || all.size() <= 2 * trend_points) return;
  auto trend = averaged(all, trend_points, log);
  if (is_noisy(curve.points, trend, range, log)) curve.trend = std::move(trend);
}

}  // namespace

bool DrawnCurve::has_deviation() const {
  return std::any_of(points.begin(), points.end(), [](const Point& point) { return point.deviation > 0; });
}

std::vector<DrawnCurve> drawn_curves(const Figure& figure) {
  std::vector<DrawnCurve> curves;
  for (std::size_t i = 0; i < std::min(figure.curves.size(), most_curves); ++i) {
    curves.push_back(drawable_part(figure.curves[i], figure.log));
  }
  const double range = range_of(curves, figure.log);
  for (auto& curve : curves) make_readable(curve, range, figure.log);
  return curves;
}

std::vector<Point> thinned(const std::vector<Point>& points, std::size_t limit) {
  if (points.size() <= limit || limit < 4) return points;
  const std::size_t inner = points.size() - 2, buckets = (limit - 2) / 2;
  std::vector<Point> kept{points.front()};
  for (std::size_t b = 0; b < buckets; ++b) {
    const auto begin = points.begin() + 1 + static_cast<std::ptrdiff_t>(b * inner / buckets);
    const auto end = points.begin() + 1 + static_cast<std::ptrdiff_t>((b + 1) * inner / buckets);
    const auto [low, high] = std::minmax_element(begin, end, [](const Point& p, const Point& q) { return p.y < q.y; });
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace moblo::lab::report
