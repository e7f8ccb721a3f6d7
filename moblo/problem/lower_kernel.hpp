#pragma once

#include <torch/types.h>

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

  /// descend() up to `steps` times on one batch; ends after the step before which f passed `limit`. Overridden where
  /// that can be done with less work.
  virtual void descend_repeatedly(const Batch& batch, const torch::Tensor& omega, double eta, std::int64_t steps,
                                  double limit) {
    for (std::int64_t t = 0; t < steps && descend(batch, omega, eta) <= limit;) ++t;
  }

  /// v -= eta (d2f/dw2)(alpha, omega) v for every row v of `adjoints`, in place. Returns <grad_w f(alpha, omega), v>
  /// with v as it was, a scalar a row: its gradient by alpha is the mixed product (d2f/dalpha dw) v.
  virtual std::vector<torch::Tensor> pull_back(const Batch& batch, const torch::Tensor& omega, double eta,
                                               const torch::Tensor& adjoints) = 0;

  /// Null where the problem has none.
  static LowerKernel* of(BilevelProblem& problem) { return dynamic_cast<LowerKernel*>(&problem); }
};

}  // namespace moblo::problem

namespace moblo {

using problem::LowerKernel;

}  // namespace moblo
