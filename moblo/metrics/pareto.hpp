#pragma once

#include <utility>
#include <vector>

namespace moblo {

/// Two objectives, both to be small.
using ObjectivePair = std::pair<double, double>;

/// Those that no other beats in one objective without losing in the other, by the first objective; equal ones once.
std::vector<ObjectivePair> non_dominated(std::vector<ObjectivePair> points);

/// Area that the points dominate below the reference.
double hypervolume(const std::vector<ObjectivePair>& points, const ObjectivePair& reference);

}  // namespace moblo
