#pragma once

#include <cstdint>
#include <vector>

#include "moblo/base/export.hpp"

namespace moblo::fronts {

/// r > 0, one per objective, sum 1; larger: that objective matters more. A run with it ends on the ray z + t / r, where
/// it meets the front.
using Preference = std::vector<double>;

/// No entry of a direction, a preference's 1/r scaled to sum 1, is smaller: the ray would run along a face of the
/// orthant, and the preference would be infinite.
constexpr double least_share = 1e-3;

/// Preferences whose rays cover the orthant evenly, a function of the two numbers alone.
/// Two objectives: equal angles of 1/r, from one axis to the other. Three: the directions are a Das-Dennis lattice on
/// the simplex, the smallest with at least `points` points, (h+1)(h+2)/2 of them: 3, 6, 10, 15, 21, 28, ... More: the
/// axes, the middle, then a sequence of low discrepancy on the simplex. Error(config) below 2 objectives or 1 point.
MOBLO_API std::vector<Preference> spread_preferences(std::int64_t objectives, std::int64_t points);
/// The largest number of points, at most `points`, that a spread can have exactly; at least 1.
std::int64_t spread_size_within(std::int64_t objectives, std::int64_t points);

/// The one whose ray halves the angle between those of a and b.
Preference between(const Preference& a, const Preference& b);
/// Between their rays, in radians.
double angle(const Preference& a, const Preference& b);
/// All weight on one objective, as far as weights may go.
Preference mostly(std::size_t objective, std::size_t objectives);

}  // namespace moblo::fronts
