#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::problem {

/// Derivatives of f by omega that the problem has by hand, where autograd's graph costs more than it saves. A problem
/// that is also a LowerKernel is asked for them in the lower loop and on the way back through it; the losses stay as
/// they are and serve everything else. Both must agree: the tests compare them.
class MOBLO_API LowerKernel {
 public:
  virtual ~LowerKernel() = default;

  /// omega -= eta grad_w f(alpha, omega), in place. Returns f before it.
  virtual double descend(const Batch& batch, const torch::Tensor& omega, double eta) = 0;

  /// descend() up to `steps` times on one batch, and never from a point where f is above `limit`. Returns how many
  /// steps were taken. Overridden where that can be done with less work.
  virtual std::int64_t descend_repeatedly(const Batch& batch, const torch::Tensor& omega, double eta,
                                          std::int64_t steps, double limit) {
    for (std::int64_t t = 0; t < steps; ++t) {
      // descend() tells f too late: a step that should not have been taken is taken back.
      const torch::Tensor before = std::isfinite(limit) ? omega.clone() : torch::Tensor();
      if (descend(batch, omega, eta) <= limit) continue;
      if (before.defined()) omega.copy_(before);
      return t;
    }
    return steps;
  }

  /// v -= eta (d2f/dw2)(alpha, omega) v for every row v of `adjoints`, in place. Returns <grad_w f(alpha, omega), v>
  /// with v as it was, a scalar per row: its gradient by alpha is the mixed product (d2f/dalpha dw) v.
  virtual std::vector<torch::Tensor> pull_back(const Batch& batch, const torch::Tensor& omega, double eta,
                                               const torch::Tensor& adjoints) = 0;

  /// Null where the problem has none.
  static LowerKernel* of(BilevelProblem& problem) { return dynamic_cast<LowerKernel*>(&problem); }
};

}  // namespace moblo::problem

namespace moblo {

using problem::LowerKernel;

}  // namespace moblo
