#pragma once

#include <cstdint>

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/inner_options.hpp"

namespace moblo {

/// BVFIM on the equal-weight mean of the objectives. All regularisation falls with r_k = 1/log(1.1 (k+1)).
struct BvfimOptions {
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

MethodInfo bvfim_info();

}  // namespace moblo
