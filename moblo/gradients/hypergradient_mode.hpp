#pragma once

#include <array>
#include <utility>

namespace moblo::gradients {

/// How dF_i(alpha, w_T(alpha))/dalpha is computed. No torch here: options name it.
///   reverse:      through the T lower steps; keeps the trajectory, O(pT)
///   checkpointed: the same numbers; keeps every sqrt(T)-th iterate and recomputes the others, O(p sqrt T)
///   cg, neumann:  implicitly, from the lower Hessian at w_T by conjugate gradients or a Neumann series, O(p)
enum class HypergradientMode { reverse, checkpointed, cg, neumann };

constexpr auto enum_names(HypergradientMode) {
  return std::array{std::pair{"reverse", HypergradientMode::reverse},
                    std::pair{"checkpointed", HypergradientMode::checkpointed}, std::pair{"cg", HypergradientMode::cg},
                    std::pair{"neumann", HypergradientMode::neumann}};
}

inline bool is_implicit(HypergradientMode mode) {
  return mode == HypergradientMode::cg || mode == HypergradientMode::neumann;
}

}  // namespace moblo::gradients

namespace moblo {

using gradients::HypergradientMode;

}  // namespace moblo
