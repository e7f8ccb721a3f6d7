#include "moblo/aggregation/pareto.hpp"

#include <algorithm>

namespace moblo::aggregation {
namespace {

bool nowhere_above(const Objectives& a, const Objectives& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

bool below(const Objectives& a, const Objectives& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x < y; });
}

/// Two objectives: one pass along the points by the first.
double area(std::vector<Objectives> points, const Objectives& reference) {
  std::sort(points.begin(), points.end());
  double sum = 0, reached = reference[1];
  for (const auto& point : points) {
    if (point[1] >= reached) continue;
    sum += (reference[0] - point[0]) * (reached - point[1]);
    reached = point[1];
  }
  return sum;
}

/// Slices between consecutive values of the last objective, each as deep as the points before it reach in the others.
double volume(std::vector<Objectives> points, Objectives reference) {
  if (points.empty()) return 0;
  if (reference.size() == 2) return area(std::move(points), reference);
  const double end = reference.back();
  reference.pop_back();
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.back() < b.back(); });
  if (reference.empty()) return end - points.front().back();
  double sum = 0;
  std::vector<Objectives> reached;
  for (std::size_t i = 0; i < points.size(); ++i) {
    reached.emplace_back(points[i].begin(), points[i].end() - 1);
    const double next = i + 1 < points.size() ? points[i + 1].back() : end;
    if (next > points[i].back()) sum += (next - points[i].back()) * volume(reached, reference);
  }
  return sum;
}

}  // namespace

std::vector<Objectives> non_dominated(std::vector<Objectives> points) {
  std::sort(points.begin(), points.end());
  std::vector<Objectives> front;
  for (auto& point : points) {  // a point is beaten only by one before it in this order
    const bool beaten = std::any_of(front.begin(), front.end(), [&](const auto& f) { return nowhere_above(f, point); });
    if (!beaten) front.push_back(std::move(point));
  }
  return front;
}

double hypervolume(const std::vector<Objectives>& points, const Objectives& reference) {
  std::vector<Objectives> inside;
  std::copy_if(points.begin(), points.end(), std::back_inserter(inside),
               [&](const auto& point) { return below(point, reference); });
  return volume(non_dominated(std::move(inside)), reference);
}

}  // namespace moblo::aggregation
