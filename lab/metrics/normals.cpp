#include "lab/metrics/normals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/metrics/pairs.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::metrics {
namespace {

constexpr int steps_a_degree = 1000;

struct Vector {
  double x, y, z;
  double norm() const { return std::sqrt(x * x + y * y + z * z); }
};

Vector vector_at(const float* image, std::int64_t pixels, std::int64_t i) {
  return {image[i], image[pixels + i], image[2 * pixels + i]};
}

/// By atan2 of sine and cosine: acos alone loses half of the digits where vectors are nearly parallel.
double degrees_between(const Vector& a, const Vector& b) {
  const Vector cross{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return std::atan2(cross.norm(), a.x * b.x + a.y * b.y + a.z * b.z) * 180 / std::numbers::pi;
}

}  // namespace

NormalAngles::NormalAngles() : histogram_(180 * steps_a_degree + 1, 0) {}

void NormalAngles::count(double angle) {
  sum_ += angle;
  ++pixels_;
  below_11_ += angle < 11.25;
  below_22_ += angle < 22.5;
  below_30_ += angle < 30;
  ++histogram_[std::min(static_cast<std::size_t>(angle * steps_a_degree), histogram_.size() - 1)];
}

void NormalAngles::add(std::span<const float> truth, std::span<const float> predicted, std::int64_t pixels) {
  refuse_unless_paired(truth.size(), predicted.size());
  if (pixels < 1 || truth.size() % static_cast<std::size_t>(3 * pixels) != 0) {
    throw Error(ErrorKind::data, fmt::format("{} values of normals", truth.size()),
                fmt::format("are not images of 3 x {} values", pixels), "Check the shape");
  }
  for (std::size_t start = 0; start < truth.size(); start += static_cast<std::size_t>(3 * pixels)) {
    for (std::int64_t i = 0; i < pixels; ++i) {
      const Vector t = vector_at(truth.data() + start, pixels, i);
      if (!(t.norm() > 0)) continue;
      const Vector p = vector_at(predicted.data() + start, pixels, i);
      if (!std::isfinite(p.norm())) {
        throw Error(ErrorKind::numeric, fmt::format("predicted normal of pixel {}", i), "is not finite", "");
      }
      count(p.norm() > 0 ? degrees_between(t, p) : 90);
    }
  }
}

double NormalAngles::mean() const {
  return measured(sum_, pixels_);
}

/// The mean of the two middle angles where their number is even, each taken in the middle of its step.
double NormalAngles::median() const {
  const auto at_rank = [&](std::int64_t rank) {
    std::int64_t seen = 0;
    std::size_t step = 0;
    for (; step + 1 < histogram_.size() && seen + histogram_[step] <= rank; ++step) seen += histogram_[step];
    return (static_cast<double>(step) + 0.5) / steps_a_degree;
  };
  return measured((at_rank((pixels_ - 1) / 2) + at_rank(pixels_ / 2)) / 2, pixels_ > 0);
}

double NormalAngles::within_11() const {
  return measured(static_cast<double>(below_11_), pixels_);
}
double NormalAngles::within_22() const {
  return measured(static_cast<double>(below_22_), pixels_);
}
double NormalAngles::within_30() const {
  return measured(static_cast<double>(below_30_), pixels_);
}

}  // namespace moblo::lab::metrics
