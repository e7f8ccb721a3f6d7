#pragma once

#include <cmath>

#include "lab/clean/noise_model.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {

/// Samples whose true class is drawn from their own chances: an honest judge, and labels drawn by a known noise model.
struct MadeSamples {
  ClassChances chances;
  Labels truth, given;
  std::vector<bool> wrong;
};

inline std::int64_t drawn(const double* chances, std::size_t classes, Rng& rng) {
  double left = rng.uniform();
  for (std::size_t c = 0; c + 1 < classes; ++c) {
    left -= chances[c];
    if (left < 0) return static_cast<std::int64_t>(c);
  }
  return static_cast<std::int64_t>(classes) - 1;
}

/// `sureness` is the spread of the scores that the chances come from.
inline MadeSamples make_samples(std::size_t count, const NoiseModel& noise, double sureness, std::uint64_t seed) {
  Rng rng(seed);
  MadeSamples made;
  made.chances.classes = noise.classes;
  for (std::size_t j = 0; j < count; ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < noise.classes; ++c) {
      made.chances.values.push_back(std::exp(sureness * rng.normal()));
      sum += made.chances.values.back();
    }
    for (std::size_t c = 0; c < noise.classes; ++c) made.chances.row(j)[c] /= sum;
    made.truth.push_back(drawn(made.chances.row(j), noise.classes, rng));
    const auto* row = noise.transition.data() + static_cast<std::size_t>(made.truth.back()) * noise.classes;
    made.given.push_back(drawn(row, noise.classes, rng));
    made.wrong.push_back(made.given.back() != made.truth.back());
  }
  return made;
}

inline NoiseModel made_noise(std::vector<double> transition, std::size_t classes) {
  return {classes, std::move(transition), 0};
}

}  // namespace moblo::lab::clean
