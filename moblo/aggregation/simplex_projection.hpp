#pragma once

#include <array>
#include <utility>

namespace moblo::aggregation {

/// How weights return to the simplex. No torch, no Eigen here: options name it.
/// softmax: what MoCo's released library does. It draws the weights towards 1/m, for softmax contracts the simplex.
/// simplex: the nearest point, as in the paper.
enum class SimplexProjection { softmax, simplex };

constexpr auto enum_names(SimplexProjection) {
  return std::array{std::pair{"softmax", SimplexProjection::softmax}, std::pair{"simplex", SimplexProjection::simplex}};
}

}  // namespace moblo::aggregation

namespace moblo {

using aggregation::SimplexProjection;

}  // namespace moblo
