#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// F2SA for several objectives: first order, with one lower state per objective.
struct MOBLO_API F2saOptions {
  std::int64_t inner_steps = 1;                      ///< T, of z and of every y_i
  double inner_step_size = 0.1;                      ///< eta; below 2/L of f + F_i / s
  InnerBatches inner_batches = InnerBatches::fresh;  ///< new batches each of these steps, or the first for all T
  double penalty = 10;                               ///< s_0; the bias is O(1/s)
  double penalty_exponent = 1.0 / 3;                 ///< s_k = s_0 (k+1)^exponent

  static const OptionTable<F2saOptions>& table();
};

/// z, y_i: T steps on f and on f + F_i / s_k;  h_i = grad_alpha F_i(alpha, y_i) + s_k (grad_alpha f(alpha, y_i) -
/// grad_alpha f(alpha, z));  lambda = argmin over the simplex of |sum lambda_i h_i|^2;
/// alpha <- alpha - mu (s_0 / s_k) sum lambda_i h_i;  omega <- z.
class MOBLO_API F2sa : public BuiltIn {
 public:
  explicit F2sa(const F2saOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::F2sa;
using methods::F2saOptions;

}  // namespace moblo
