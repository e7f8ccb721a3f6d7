#pragma once

namespace moblo {

/// How weights return to the simplex. No torch, no Eigen here: options name it.
/// softmax: what MoCo's released library does. It draws the weights towards 1/m, for softmax contracts the simplex.
/// simplex: the nearest point, as in the paper.
enum class SimplexProjection { softmax, simplex };

}  // namespace moblo
