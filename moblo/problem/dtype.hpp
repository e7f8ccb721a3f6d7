#pragma once

#include <torch/types.h>

#include <array>
#include <utility>

namespace moblo::problem {

/// The precision of a problem, as an option.
enum class Dtype { f32, f64 };

constexpr auto enum_names(Dtype) {
  return std::array{std::pair{"f32", Dtype::f32}, std::pair{"f64", Dtype::f64}};
}

inline torch::ScalarType scalar_type(Dtype dtype) {
  return dtype == Dtype::f32 ? torch::kFloat32 : torch::kFloat64;
}

inline constexpr const char* dtype_help = "single or double precision";

}  // namespace moblo::problem

namespace moblo {

using problem::Dtype;

}  // namespace moblo
