#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo::conformance {

/// F_1 .. F_m of one point.
using LossVector = std::vector<double>;

/// The Pareto front of a problem in closed form: what a method's points are measured against.
class KnownFront {
 public:
  virtual ~KnownFront() = default;

  virtual std::size_t objectives() const = 0;
  /// Largest distance between two of its points.
  virtual double diameter() const = 0;
  /// Euclidean distance of a loss vector to the nearest point of the front.
  virtual double distance(const LossVector& losses) const = 0;
  /// Where the ray z + t / r, t > 0, of a preference r > 0 meets the front; empty where it misses it. An empty
  /// reference is z = 0.
  virtual std::optional<LossVector> on_ray(const LossVector& preference, const LossVector& reference = {}) const = 0;
  /// `count` of its points, evenly spread.
  virtual std::vector<LossVector> points(std::size_t count) const = 0;
};

/// Euclidean distance of a loss vector to the ray z + t / r, t >= 0.
double distance_to_ray(const LossVector& losses, const LossVector& preference, const LossVector& reference = {});

/// The front of a problem that knows it, for as long as the problem lives; otherwise null.
const KnownFront* known_front(const BilevelProblem& problem);

/// The same vector; throws Error(problem) unless it has one number an objective.
const LossVector& one_each(const LossVector& values, std::size_t objectives);
/// The direction 1/r of a preference's ray, of length one; throws Error(problem) unless every r_i is positive.
LossVector ray_direction(const LossVector& preference, std::size_t objectives);
/// z, with zeros for an empty one.
LossVector full_reference(const LossVector& reference, std::size_t objectives);

}  // namespace moblo::conformance
