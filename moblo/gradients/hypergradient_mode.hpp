#pragma once

namespace moblo {

/// How dF_i(alpha, w_T(alpha))/dalpha is computed. No torch here: options name it.
///   reverse:      through the T lower steps; keeps the trajectory, O(pT)
///   checkpointed: the same numbers; keeps every sqrt(T)-th iterate and recomputes the others, O(p sqrt T)
///   cg, neumann:  implicitly, from the lower Hessian at w_T by conjugate gradients or a Neumann series, O(p)
enum class HypergradientMode { reverse, checkpointed, cg, neumann };

inline bool is_implicit(HypergradientMode mode) {
  return mode == HypergradientMode::cg || mode == HypergradientMode::neumann;
}

}  // namespace moblo
