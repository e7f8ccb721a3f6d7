#include "moblo/methods/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace moblo::methods {
namespace {

constexpr std::size_t remembered_fully = 25;

double cumulative(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// Linear forgetting: a ramp from 1/N to 1 over all but the newest 25 of N points.
double age_weight(std::size_t index, std::size_t count) {
  if (count <= remembered_fully || index >= count - remembered_fully) return 1;
  const auto ramp = static_cast<double>(count - remembered_fully);
  const double first = 1 / static_cast<double>(count);
  return ramp <= 1 ? first : first + (1 - first) * static_cast<double>(index) / (ramp - 1);
}

}  // namespace

ParzenEstimator::ParzenEstimator(const std::vector<double>& points, double low, double high) : low_(low), high_(high) {
  const double range = high - low, middle = (low + high) / 2;
  for (std::size_t i = 0; i < points.size(); ++i) normals_.push_back({points[i], 0, age_weight(i, points.size())});
  normals_.push_back({middle, range, 1});
  std::stable_sort(normals_.begin(), normals_.end(), [](const Normal& a, const Normal& b) { return a.mean < b.mean; });
  const double narrowest = range / std::min(100.0, 1.0 + static_cast<double>(normals_.size()));
  for (std::size_t i = 0; i < normals_.size(); ++i) {
    auto& normal = normals_[i];
    if (normal.width == 0) {
      const double left = i > 0 ? normal.mean - normals_[i - 1].mean : 0;
      const double right = i + 1 < normals_.size() ? normals_[i + 1].mean - normal.mean : 0;
      normal.width = std::clamp(std::max(left, right), narrowest, range);
    }
    total_weight_ += normal.weight;
    mass_ += normal.weight *
             (cumulative((high - normal.mean) / normal.width) - cumulative((low - normal.mean) / normal.width));
  }
}

double ParzenEstimator::sample(Rng& rng) const {
  while (true) {
    double left = rng.uniform() * total_weight_;
    auto normal = normals_.begin();
    while (normal + 1 != normals_.end() && left >= normal->weight) left -= (normal++)->weight;
    const double x = normal->mean + normal->width * rng.normal();
    if (x >= low_ && x <= high_) return x;  // half of the mass of each lies inside at least: a few draws suffice
  }
}

double ParzenEstimator::log_density(double x) const {
  double sum = 0;
  for (const auto& normal : normals_) {
    const double z = (x - normal.mean) / normal.width;
    sum += normal.weight / normal.width * std::exp(-0.5 * z * z);
  }
  return std::log(sum / (mass_ * std::sqrt(2 * std::numbers::pi)));
}

double suggest(const ParzenEstimator& good, const ParzenEstimator& bad, std::int64_t candidates, Rng& rng) {
  double best = 0, best_score = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < candidates; ++i) {
    const double x = good.sample(rng);
    const double score = good.log_density(x) - bad.log_density(x);
    if (i > 0 && !(score > best_score)) continue;
    best = x;
    best_score = score;
  }
  return best;
}

}  // namespace moblo::methods
