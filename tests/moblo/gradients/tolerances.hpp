#pragma once

#include <torch/torch.h>

namespace moblo::gradients::testing {

/// One tolerance table, by dtype: what rounding leaves of quantities of order one.
struct Tolerances {
  double value;     ///< the same sum in another order
  double gradient;  ///< the same gradient by another graph
};
inline constexpr Tolerances f32{1e-5, 1e-5}, f64{1e-12, 1e-12};

inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item().toDouble();
}

}  // namespace moblo::gradients::testing
