#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// BVFIM on the equal-weight mean of the objectives. All regularisation falls with r_k = 1/log(1.1 (k+1)).
struct MOBLO_API BvfimOptions {
  std::int64_t inner_steps = 5;                      ///< T_z, steps towards the value of the lower problem
  double inner_step_size = 0.1;                      ///< their size
  std::int64_t model_steps = 5;                      ///< T_y, steps of omega on the barrier function
  double model_step_size = 0.1;                      ///< their size; 2 over the barrier's curvature is too much
  InnerBatches inner_batches = InnerBatches::fresh;  ///< new batches each of these steps, or one for all
  double value_ridge = 0.01;                         ///< mu: mu r_k |z|^2 beside f
  double model_ridge = 0.01;                         ///< theta: theta r_k |y|^2 beside F
  double barrier = 0.1;                              ///< sigma: -sigma r_k log(...)
  double barrier_offset = 1e-4;                      ///< C, keeps the logarithm's argument positive

  static const OptionTable<BvfimOptions>& table();
};

/// F = mean_i F_i, r_k = 1/log(1.1 (k+1)):
///   z <- z - s grad [f(alpha, z) + mu r |z|^2], from omega;  f_z = its value
///   y <- y - s' grad [F(alpha, y) + theta r |y|^2 - sigma r log(C + f_z - f(alpha, y) + [f(alpha, y)])], from omega
///   alpha <- alpha - mu_alpha grad_alpha of the same, f_z included;  omega <- y
/// [.] is a value without gradient: the logarithm's argument is C + f_z, never infeasible, and its gradient that of
/// f_z - f(alpha, y). So the barrier acts as the multiplier c = sigma r / (C + f_z) of f(alpha, y) - f_z.
class MOBLO_API Bvfim : public BuiltIn {
 public:
  explicit Bvfim(const BvfimOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Bvfim;
using methods::BvfimOptions;

}  // namespace moblo
