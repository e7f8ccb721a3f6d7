#include "moblo/metrics/pareto.hpp"

#include <algorithm>
#include <limits>

namespace moblo {

std::vector<ObjectivePair> non_dominated(std::vector<ObjectivePair> points) {
  std::sort(points.begin(), points.end());
  std::vector<ObjectivePair> front;
  double best = std::numeric_limits<double>::infinity();
  for (const auto& point : points) {
    if (!(point.second < best)) continue;
    best = point.second;
    front.push_back(point);
  }
  return front;
}

double hypervolume(const std::vector<ObjectivePair>& points, const ObjectivePair& reference) {
  double area = 0, floor = reference.second;
  for (const auto& [first, second] : non_dominated(points)) {
    if (first >= reference.first || second >= floor) continue;
    area += (reference.first - first) * (floor - second);
    floor = second;
  }
  return area;
}

}  // namespace moblo
