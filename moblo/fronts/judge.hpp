#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "moblo/aggregation/pareto.hpp"
#include "moblo/base/export.hpp"
#include "moblo/records/front_record.hpp"

namespace moblo::fronts {

using aggregation::Objectives;

/// All functions take one entry per point; one that is empty or not finite stands for a point without losses. It is on
/// no front and counts nowhere.

bool is_usable(const Objectives& point);

/// Whether another point is nowhere worse and somewhere better; of equal ones the first is kept. Unusable: true.
MOBLO_API std::vector<bool> dominated(const std::vector<Objectives>& points);

/// Worse than every point in every objective: the largest value plus a tenth of the range, of the value itself where
/// there is no range. Empty where no point is usable.
MOBLO_API Objectives reference_point(const std::vector<Objectives>& points);

/// The best point of each objective among those that are not dominated; empty where there is none.
std::vector<std::int64_t> extremes(const std::vector<Objectives>& points);

/// Scaled to the box of the front: of the points that are not dominated, the one farthest below the plane through the
/// extremes (two objectives: their chord), measured towards the ideal point. Empty where none lies below it, and where
/// the extremes span no plane.
MOBLO_API std::optional<std::int64_t> knee(const std::vector<Objectives>& points);

/// Two points of a front between which there is no third, and their distance in its box.
struct Neighbours {
  std::size_t a, b;
  double distance;
};
/// Of the points that are not dominated; widest first. Two objectives: one after the other along the front. More: pairs
/// for which no third point is nearer to both than they are to each other (the relative neighbourhood graph).
std::vector<Neighbours> neighbours(const std::vector<Objectives>& points);

/// The widest distance between neighbours over the largest between any two of the front; empty below two points.
MOBLO_API std::optional<double> largest_gap(const std::vector<Objectives>& points);

/// Mean over the true points of the distance |max(p - a, 0)| to the point p of the front that is nearest in this sense:
/// 0 where every true point is reached or beaten.
MOBLO_API double igd_plus(const std::vector<Objectives>& points, const std::vector<Objectives>& truth);

/// Fills in whatever follows from the losses: who is dominated, hypervolumes, extremes, knee, gap, history. The
/// reference point is the one given, or that of all joint and refitted models together.
MOBLO_API void judge(records::FrontRecord& front, const Objectives& given_reference = {});

}  // namespace moblo::fronts
