#include "moblo/fronts/judge.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace moblo::fronts {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Box {
  Objectives low, high;
};

Box box_of(const std::vector<Objectives>& points, const std::vector<bool>& left_out) {
  Box box;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (left_out[p]) continue;
    if (box.low.empty()) box = {points[p], points[p]};
    for (std::size_t i = 0; i < box.low.size(); ++i) {
      box.low[i] = std::min(box.low[i], points[p][i]);
      box.high[i] = std::max(box.high[i], points[p][i]);
    }
  }
  return box;
}

/// An objective in which all agree counts nothing.
Eigen::VectorXd scaled(const Objectives& point, const Box& box) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(point.size()));
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double range = box.high[i] - box.low[i];
    out(static_cast<Eigen::Index>(i)) = range > 0 ? (point[i] - box.low[i]) / range : 0;
  }
  return out;
}

bool beats(const Objectives& a, const Objectives& b) {
  bool somewhere = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    somewhere = somewhere || a[i] < b[i];
  }
  return somewhere;
}

/// The points of the front in its box, each with its place in the list.
struct Scaled {
  std::vector<std::size_t> index;
  std::vector<Eigen::VectorXd> at;
};

Scaled front_in_its_box(const std::vector<Objectives>& points) {
  const auto left_out = dominated(points);
  const Box box = box_of(points, left_out);
  Scaled front;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (left_out[p]) continue;
    front.index.push_back(p);
    front.at.push_back(scaled(points[p], box));
  }
  return front;
}

/// Along the front the first objective rises.
void add_consecutive(Scaled front, std::vector<Neighbours>& to) {
  std::vector<std::size_t> order(front.index.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return front.at[a](0) != front.at[b](0) ? front.at[a](0) < front.at[b](0) : a < b;
  });
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto a = order[i], b = order[i + 1];
    to.push_back({front.index[a], front.index[b], (front.at[a] - front.at[b]).norm()});
  }
}

void add_relative_neighbours(const Scaled& front, std::vector<Neighbours>& to) {
  const auto distance = [&](std::size_t a, std::size_t b) { return (front.at[a] - front.at[b]).norm(); };
  for (std::size_t a = 0; a < front.at.size(); ++a) {
    for (std::size_t b = a + 1; b < front.at.size(); ++b) {
      const double apart = distance(a, b);
      bool free = true;
      for (std::size_t c = 0; free && c < front.at.size(); ++c) {
        free = c == a || c == b || std::max(distance(a, c), distance(b, c)) >= apart;
      }
      if (free) to.push_back({front.index[a], front.index[b], apart});
    }
  }
}

std::vector<Objectives> usable_of(const std::vector<Objectives>& points) {
  std::vector<Objectives> out;
  std::copy_if(points.begin(), points.end(), std::back_inserter(out), is_usable);
  return out;
}

std::vector<Objectives> joint_of(const records::FrontRecord& front) {
  std::vector<Objectives> all;
  for (const auto& point : front.points) all.push_back(point.losses);
  return all;
}

std::vector<Objectives> refitted_of(const records::FrontRecord& front) {
  std::vector<Objectives> all;
  for (const auto& point : front.points) all.push_back(point.refit_losses);
  return all;
}

}  // namespace

bool is_usable(const Objectives& point) {
  return !point.empty() && std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); });
}

std::vector<bool> dominated(const std::vector<Objectives>& points) {
  std::vector<bool> out(points.size(), false);
  for (std::size_t p = 0; p < points.size(); ++p) {
    out[p] = !is_usable(points[p]);
    for (std::size_t other = 0; !out[p] && other < points.size(); ++other) {
      if (other == p || !is_usable(points[other])) continue;
      out[p] = beats(points[other], points[p]) || (other < p && points[other] == points[p]);
    }
  }
  return out;
}

Objectives reference_point(const std::vector<Objectives>& points) {
  std::vector<bool> left_out;
  for (const auto& point : points) left_out.push_back(!is_usable(point));
  const Box box = box_of(points, left_out);
  Objectives reference = box.high;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double range = box.high[i] - box.low[i], size = std::abs(box.high[i]);
    reference[i] += range > 0 ? range / 10 : size > 0 ? size / 10 : 1;
  }
  return reference;
}

std::vector<std::int64_t> extremes(const std::vector<Objectives>& points) {
  const auto left_out = dominated(points);
  std::vector<std::int64_t> best;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (left_out[p]) continue;
    if (best.empty()) best.assign(points[p].size(), static_cast<std::int64_t>(p));
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (points[p][i] < points[static_cast<std::size_t>(best[i])][i]) best[i] = static_cast<std::int64_t>(p);
    }
  }
  return best;
}

std::optional<std::int64_t> knee(const std::vector<Objectives>& points) {
  const auto best = extremes(points);
  if (best.empty()) return std::nullopt;
  const auto left_out = dominated(points);
  const Box box = box_of(points, left_out);
  // The plane n'x = 1 through the extremes; n'x < 1 is the side of the ideal point 0.
  const auto m = static_cast<Eigen::Index>(best.size());
  Eigen::MatrixXd corners(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    corners.row(i) = scaled(points[static_cast<std::size_t>(best[static_cast<std::size_t>(i)])], box).transpose();
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(corners);
  if (!solver.isInvertible()) return std::nullopt;
  const Eigen::VectorXd normal = solver.solve(Eigen::VectorXd::Ones(m));
  std::optional<std::int64_t> found;
  double farthest = 1e-9 * normal.norm();
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (left_out[p]) continue;
    const double below = 1 - normal.dot(scaled(points[p], box));
    if (below <= farthest) continue;
    farthest = below;
    found = static_cast<std::int64_t>(p);
  }
  return found;
}

std::vector<Neighbours> neighbours(const std::vector<Objectives>& points) {
  const Scaled front = front_in_its_box(points);
  std::vector<Neighbours> pairs;
  if (front.at.size() < 2) return pairs;
  front.at.front().size() == 2 ? add_consecutive(front, pairs) : add_relative_neighbours(front, pairs);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Neighbours& a, const Neighbours& b) { return a.distance > b.distance; });
  return pairs;
}

std::optional<double> largest_gap(const std::vector<Objectives>& points) {
  const auto pairs = neighbours(points);
  if (pairs.empty()) return std::nullopt;
  const Scaled front = front_in_its_box(points);
  double diameter = 0;
  for (const auto& a : front.at) {
    for (const auto& b : front.at) diameter = std::max(diameter, (a - b).norm());
  }
  return diameter > 0 ? std::optional(pairs.front().distance / diameter) : std::nullopt;
}

double igd_plus(const std::vector<Objectives>& points, const std::vector<Objectives>& truth) {
  const auto usable = usable_of(points);
  double sum = 0;
  for (const auto& target : truth) {
    double nearest = infinity;
    for (const auto& point : usable) {
      double square = 0;
      for (std::size_t i = 0; i < target.size(); ++i) square += std::pow(std::max(point[i] - target[i], 0.0), 2);
      nearest = std::min(nearest, std::sqrt(square));
    }
    sum += nearest;
  }
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

void judge(records::FrontRecord& front, const Objectives& given_reference) {
  const auto joint = joint_of(front), refitted = refitted_of(front);
  const bool any_refit = std::any_of(refitted.begin(), refitted.end(), is_usable);
  auto all = joint;
  all.insert(all.end(), refitted.begin(), refitted.end());
  front.reference_point = given_reference.empty() ? reference_point(all) : given_reference;

  const auto joint_dominated = dominated(joint), refit_dominated = dominated(refitted);
  front.hypervolume_history.clear();
  std::vector<Objectives> so_far;
  for (std::size_t p = 0; p < front.points.size(); ++p) {
    auto& point = front.points[p];
    point.dominated = joint_dominated[p];
    point.refit_dominated = is_usable(refitted[p]) ? std::optional<bool>(refit_dominated[p]) : std::nullopt;
    if (is_usable(joint[p])) so_far.push_back(joint[p]);
    front.hypervolume_history.push_back(
        {static_cast<std::int64_t>(p) + 1, aggregation::hypervolume(so_far, front.reference_point)});
  }
  front.hypervolume = front.hypervolume_history.empty() ? 0 : front.hypervolume_history.back().hypervolume;
  front.refit_hypervolume =
      any_refit ? std::optional(aggregation::hypervolume(usable_of(refitted), front.reference_point)) : std::nullopt;
  front.extremes = extremes(joint);
  front.knee = knee(joint);
  front.largest_gap = largest_gap(joint);
}

}  // namespace moblo::fronts
