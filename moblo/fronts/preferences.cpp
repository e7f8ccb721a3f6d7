#include "moblo/fronts/preferences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "moblo/base/error.hpp"

namespace moblo::fronts {
namespace {

using Direction = std::vector<double>;  // 1/r, up to its length

Preference scaled_to_sum_one(Preference r) {
  const double sum = std::accumulate(r.begin(), r.end(), 0.0);
  for (double& entry : r) entry /= sum;
  return r;
}

Direction unit(Direction d) {
  double square = 0;
  for (const double entry : d) square += entry * entry;
  for (double& entry : d) entry /= std::sqrt(square);
  return d;
}

Direction inverse(const Preference& r) {
  Direction d(r.size());
  std::transform(r.begin(), r.end(), d.begin(), [](double entry) { return 1 / entry; });
  return unit(std::move(d));
}

Preference preference_towards(Direction d) {
  d = scaled_to_sum_one(std::move(d));
  for (double& entry : d) entry = 1 / std::max(entry, least_share);
  return scaled_to_sum_one(std::move(d));
}

std::vector<Direction> equal_angles(std::int64_t points) {
  std::vector<Direction> all;
  for (std::int64_t i = 0; i < points; ++i) {
    const double share = points == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(points - 1);
    const double at = share * std::numbers::pi / 2;
    all.push_back({std::cos(at), std::sin(at)});
  }
  return all;
}

std::int64_t lattice_size(std::int64_t divisions) {
  return (divisions + 1) * (divisions + 2) / 2;
}

/// (i, j, h - i - j) / h; a single point is the middle.
std::vector<Direction> lattice(std::int64_t points) {
  if (points == 1) return {{1, 1, 1}};
  std::int64_t h = 1;
  while (lattice_size(h) < points) ++h;
  std::vector<Direction> all;
  for (std::int64_t i = h; i >= 0; --i) {
    for (std::int64_t j = h - i; j >= 0; --j) {
      all.push_back({static_cast<double>(i), static_cast<double>(j), static_cast<double>(h - i - j)});
    }
  }
  return all;
}

/// The positive root of x^(d+1) = x + 1; powers of its inverse make the additive sequence of low discrepancy in d
/// dimensions.
double generalised_golden_ratio(std::size_t dimensions) {
  double x = 2;
  for (int i = 0; i < 60; ++i) x = std::pow(1 + x, 1 / (static_cast<double>(dimensions) + 1));
  return x;
}

/// Gaps between sorted coordinates are uniform on the simplex where the coordinates are uniform in the cube.
std::vector<Direction> low_discrepancy(std::size_t objectives, std::int64_t points) {
  std::vector<Direction> all;
  if (points > static_cast<std::int64_t>(objectives)) {
    for (std::size_t i = 0; i < objectives; ++i) {
      all.emplace_back(objectives, 0.0);
      all.back()[i] = 1;
    }
  }
  all.emplace_back(objectives, 1.0);
  const std::size_t dimensions = objectives - 1;
  const double ratio = generalised_golden_ratio(dimensions);
  for (std::int64_t n = 1; static_cast<std::int64_t>(all.size()) < points; ++n) {
    std::vector<double> cuts;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const double x = 0.5 + static_cast<double>(n) * std::pow(ratio, -static_cast<double>(i + 1));
      cuts.push_back(x - std::floor(x));
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.push_back(1);
    Direction d(objectives);
    for (std::size_t i = 0; i < objectives; ++i) d[i] = cuts[i] - (i == 0 ? 0 : cuts[i - 1]);
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace

std::vector<Preference> spread_preferences(std::int64_t objectives, std::int64_t points) {
  if (objectives < 2) {
    throw Error(ErrorKind::config, fmt::format("a front of {} objective", objectives),
                "there is nothing to trade: a front has at least two objectives", "Use train() or `moblo run`");
  }
  if (points < 1) {
    throw Error(ErrorKind::config, fmt::format("a front of {} points", points), "has at least one",
                "Give a larger number");
  }
  const auto directions = objectives == 2   ? equal_angles(points)
                          : objectives == 3 ? lattice(points)
                                            : low_discrepancy(static_cast<std::size_t>(objectives), points);
  std::vector<Preference> all;
  for (const auto& direction : directions) all.push_back(preference_towards(direction));
  return all;
}

std::int64_t spread_size_within(std::int64_t objectives, std::int64_t points) {
  if (objectives != 3) return std::max<std::int64_t>(points, 1);
  if (points < 3) return 1;
  std::int64_t h = 1;
  while (lattice_size(h + 1) <= points) ++h;
  return lattice_size(h);
}

Preference between(const Preference& a, const Preference& b) {
  Direction middle = inverse(a);
  const Direction other = inverse(b);
  for (std::size_t i = 0; i < middle.size(); ++i) middle[i] += other[i];
  return preference_towards(std::move(middle));
}

double angle(const Preference& a, const Preference& b) {
  const Direction x = inverse(a), y = inverse(b);
  double sum = 0, difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += (x[i] + y[i]) * (x[i] + y[i]);
    difference += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return 2 * std::atan2(std::sqrt(difference), std::sqrt(sum));  // exact for small angles too, unlike acos
}

Preference mostly(std::size_t objective, std::size_t objectives) {
  Preference r(objectives, least_share);
  r[objective] = 1;
  return scaled_to_sum_one(std::move(r));
}

}  // namespace moblo::fronts
