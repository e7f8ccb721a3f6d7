#include "moblo/conformance/known_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/conformance/front_problem.hpp"

namespace moblo::conformance {

const LossVector& one_each(const LossVector& values, std::size_t objectives) {
  if (values.size() == objectives) return values;
  throw Error(ErrorKind::problem, fmt::format("{} numbers for {} objectives", values.size(), objectives),
              "there is one for each", "Give one number for each objective");
}

LossVector ray_direction(const LossVector& preference, std::size_t objectives) {
  double length = 0;
  LossVector direction;
  for (const double r : one_each(preference, objectives)) {
    if (!(r > 0) || !std::isfinite(r)) {
      throw Error(ErrorKind::problem, fmt::format("a preference with the number {}", r), "preferences are positive",
                  "Give one positive number for each objective");
    }
    direction.push_back(1 / r);
    length = std::hypot(length, direction.back());
  }
  for (double& entry : direction) entry /= length;
  return direction;
}

LossVector full_reference(const LossVector& reference, std::size_t objectives) {
  return reference.empty() ? LossVector(objectives, 0.0) : one_each(reference, objectives);
}

double distance_to_ray(const LossVector& losses, const LossVector& preference, const LossVector& reference) {
  const auto direction = ray_direction(preference, losses.size());
  const auto start = full_reference(reference, losses.size());
  double along = 0, square = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) along += direction[i] * (losses[i] - start[i]);
  along = std::max(along, 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    square += std::pow(losses[i] - start[i] - along * direction[i], 2);
  }
  return std::sqrt(square);
}

const KnownFront* known_front(const BilevelProblem& problem) {
  const auto* knows = dynamic_cast<const FrontProblem*>(&problem);
  return knows ? &knows->front() : nullptr;
}

}  // namespace moblo::conformance
