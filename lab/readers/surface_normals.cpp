#include "lab/readers/surface_normals.hpp"

#include <cmath>
#include <optional>

namespace moblo::lab::readers {
namespace {

constexpr std::int64_t radius = 24, step = 4;
constexpr int fits = 3, fewest_samples = 12;
constexpr double same_surface = 0.15;                         ///< of the depth
constexpr double near_plane = 0.05, near_plane_share = 0.01;  ///< metres, and of the depth

struct Sample {
  double u, v, z;
};

/// u = a[0], v = a[1], 1 = a[2] in inverse depth = a . (u, v, 1).
using Affine = std::array<double, 3>;

/// Weighted by z^4, which makes an error of the depth count the same at every depth: d(1/z) = -dz / z^2.
class NormalEquations {
 public:
  void add(const Sample& s) {
    const double weight = s.z * s.z * s.z * s.z, value = weight / s.z;
    uu_ += weight * s.u * s.u, uv_ += weight * s.u * s.v, vv_ += weight * s.v * s.v;
    u_ += weight * s.u, v_ += weight * s.v, one_ += weight;
    qu_ += value * s.u, qv_ += value * s.v, q_ += value;
    ++count_;
  }

  /// By elimination of the constant; nothing where the samples lie on a line, or are too few.
  std::optional<Affine> solve() const {
    if (count_ < fewest_samples) return {};
    const double mean_u = u_ / one_, mean_v = v_ / one_, mean_q = q_ / one_;
    const double uu = uu_ - u_ * mean_u, uv = uv_ - u_ * mean_v, vv = vv_ - v_ * mean_v;
    const double qu = qu_ - u_ * mean_q, qv = qv_ - v_ * mean_q, determinant = uu * vv - uv * uv;
    if (!(determinant > 1e-6 * uu * vv)) return {};
    const double a = (qu * vv - qv * uv) / determinant, b = (qv * uu - qu * uv) / determinant;
    return Affine{a, b, mean_q - a * mean_u - b * mean_v};
  }

 private:
  double uu_ = 0, uv_ = 0, vv_ = 0, u_ = 0, v_ = 0, one_ = 0, qu_ = 0, qv_ = 0, q_ = 0;
  int count_ = 0;
};

void samples_around(const Plane& depth, const Camera& camera, std::int64_t row, std::int64_t column, double centre,
                    std::vector<Sample>& samples) {
  samples.clear();
  for (std::int64_t y = row - radius; y <= row + radius; y += step) {
    if (y < 0 || y >= depth.height) continue;
    for (std::int64_t x = column - radius; x <= column + radius; x += step) {
      if (x < 0 || x >= depth.width) continue;
      const double z = depth.values[static_cast<std::size_t>(y * depth.width + x)];
      if (!(z > 0) || std::abs(z - centre) > same_surface * centre) continue;
      samples.push_back({(static_cast<double>(x) - camera.centre_x) / camera.focal_x,
                         (static_cast<double>(y) - camera.centre_y) / camera.focal_y, z});
    }
  }
}

std::optional<Affine> fit_plane(const std::vector<Sample>& samples) {
  std::optional<Affine> plane;
  for (int fit = 0; fit < fits; ++fit) {
    NormalEquations equations;
    for (const auto& s : samples) {
      if (plane) {
        const double inverse = (*plane)[0] * s.u + (*plane)[1] * s.v + (*plane)[2];
        if (!(inverse > 0) || std::abs(1 / inverse - s.z) > near_plane + near_plane_share * s.z) continue;
      }
      equations.add(s);
    }
    const auto better = equations.solve();
    if (!better) return plane;  // too few are near the first plane: it is the best there is
    plane = better;
  }
  return plane;
}

}  // namespace

Camera kinect_for(std::int64_t height, std::int64_t width, bool mirrored) {
  const double sx = static_cast<double>(width) / kinect_width, sy = static_cast<double>(height) / kinect_height;
  const double centre = mirrored ? static_cast<double>(kinect_width - 1) - kinect.centre_x : kinect.centre_x;
  // positions count from the middle of the first pixel
  return {kinect.focal_x * sx, kinect.focal_y * sy, (centre + 0.5) * sx - 0.5, (kinect.centre_y + 0.5) * sy - 0.5};
}

std::array<std::vector<float>, 3> normals_from_depth(const Plane& depth, const Camera& camera,
                                                     const std::vector<std::int64_t>& rows,
                                                     const std::vector<std::int64_t>& columns) {
  std::array<std::vector<float>, 3> normals;
  for (auto& plane : normals) plane.assign(rows.size() * columns.size(), 0);
  std::vector<Sample> samples;
  std::size_t at = 0;
  for (const auto row : rows) {
    for (const auto column : columns) {
      const std::size_t here = at++;
      const double centre = depth.values[static_cast<std::size_t>(row * depth.width + column)];
      if (!(centre > 0)) continue;
      samples_around(depth, camera, row, column, centre, samples);
      const auto plane = fit_plane(samples);
      if (!plane) continue;
      const auto& [a, b, c] = *plane;
      const double length = std::sqrt(a * a + b * b + c * c);
      for (std::size_t i = 0; i < 3; ++i) normals[i][here] = static_cast<float>(-(*plane)[i] / length);
    }
  }
  return normals;
}

}  // namespace moblo::lab::readers
