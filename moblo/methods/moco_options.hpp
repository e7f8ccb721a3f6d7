#pragma once

#include "moblo/aggregation/simplex_projection.hpp"
#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/hypergradient_options.hpp"

namespace moblo {

enum class GradientScale { raw, loss };

/// MoCo: tracked hypergradients and slowly moving weights.
struct MocoOptions : HypergradientOptions {
  double beta = 0.5;                                          ///< beta_k = beta (k+1)^-beta_exponent, of the tracker
  double beta_exponent = 0.5;                                 ///< 0 keeps it constant
  double gamma = 0.1;                                         ///< gamma_k = gamma (k+1)^-gamma_exponent, of the weights
  double gamma_exponent = 0.5;                                ///< 0 keeps it constant
  double rho = 0;                                             ///< regularises the weights
  SimplexProjection projection = SimplexProjection::softmax;  ///< softmax: released code; simplex: the paper
  GradientScale gradient_scale = GradientScale::raw;          ///< loss: unit length times the loss, as released

  static const OptionTable<MocoOptions>& table();
};

MethodInfo moco_info();

template <>
struct EnumNames<SimplexProjection> {
  static constexpr std::array values{std::pair{"softmax", SimplexProjection::softmax},
                                     std::pair{"simplex", SimplexProjection::simplex}};
};
template <>
struct EnumNames<GradientScale> {
  static constexpr std::array values{std::pair{"raw", GradientScale::raw}, std::pair{"loss", GradientScale::loss}};
};

}  // namespace moblo
