#pragma once

#include <vector>

namespace moblo::aggregation {

/// What one point has in each objective, all to be small.
using Objectives = std::vector<double>;

/// Those that no other beats in one objective without losing in another, by the first objective; equal ones once.
std::vector<Objectives> non_dominated(std::vector<Objectives> points);

/// Volume that the points dominate below the reference; its cost grows like points^(objectives - 1).
double hypervolume(const std::vector<Objectives>& points, const Objectives& reference);

}  // namespace moblo::aggregation
