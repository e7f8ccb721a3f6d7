#pragma once

#include <cstdint>
#include <vector>

#include "moblo/applications/catalogue.hpp"
#include "moblo/base/options.hpp"

namespace moblo {

enum class Dtype { f32, f64 };

/// Appendix C of the paper.
struct SyntheticOptions {
  double alpha = 0;                 ///< alpha_0
  std::vector<double> omega{0, 3};  ///< omega_0
  Dtype dtype = Dtype::f64;

  static const OptionTable<SyntheticOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

/// f = 1/2 (w - B a - b)' H (w - B a - b),  F_i = 1/2 |w - u_i|^2 + upper_curvature/2 |a - v_i|^2.
struct QuadraticOptions {
  std::int64_t n = 3;            ///< dimension of alpha
  std::int64_t p = 5;            ///< dimension of omega
  std::int64_t m = 3;            ///< objectives
  double condition = 10;         ///< largest over smallest eigenvalue of H; the largest is 1
  double upper_curvature = 0.5;  ///< 0 makes grad_alpha F_i zero
  Dtype dtype = Dtype::f64;

  static const OptionTable<QuadraticOptions>& table();
};

/// f = 1/2 |w - (a, a^2)|^2,  F_{1,2} = 1/2 (w_2 - 1)^2 +- tilt w_1: two wells at a = +-1 and a barrier at 0.
struct DoubleWellOptions {
  double tilt = 0.3;
  double alpha = 1.6;               ///< alpha_0
  std::vector<double> omega{0, 0};  ///< omega_0
  Dtype dtype = Dtype::f64;

  static const OptionTable<DoubleWellOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

/// Hyper-cleaning in miniature: regressions with spoilt targets, one weight a sample, mini-batches.
struct NoisyRegressionOptions {
  std::int64_t tasks = 2;
  std::int64_t samples = 200;  ///< training samples a task
  std::int64_t trusted = 50;   ///< clean validation samples a task
  std::int64_t features = 5;
  std::int64_t hidden = 8;
  std::int64_t batch = 20;
  double spoilt = 0.3;  ///< share of the training targets that are wrong
  Dtype dtype = Dtype::f32;

  static const OptionTable<NoisyRegressionOptions>& table();
};

ProblemInfo synthetic_info();
ProblemInfo quadratic_info();
ProblemInfo double_well_info();
ProblemInfo noisy_regression_info();

template <>
struct EnumNames<Dtype> {
  static constexpr std::array values{std::pair{"f32", Dtype::f32}, std::pair{"f64", Dtype::f64}};
};

}  // namespace moblo
