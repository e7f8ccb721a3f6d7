#include "moblo/conformance/front_curve.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/conformance/scalar_search.hpp"

namespace moblo::conformance {
namespace {

constexpr std::size_t pieces = 4096;  ///< of the polygon that measures the length of the curve

}  // namespace

LossVector FrontCurve::at(double s) const {
  const auto [first, second] = at_(s);
  return {first, second};
}

/// Both objectives are monotone, so the ends are the corners of the curve's box.
double FrontCurve::diameter() const {
  const auto low = at_(0), high = at_(1);
  return std::hypot(high.first - low.first, high.second - low.second);
}

double FrontCurve::distance(const LossVector& losses) const {
  const auto& full = one_each(losses, 2);
  const auto length = [&](double s) {
    const auto [first, second] = at_(s);
    return std::hypot(full[0] - first, full[1] - second);
  };
  return length(minimiser_on(0, 1, length));
}

/// r_1 (F_1 - z_1) - r_2 (F_2 - z_2) rises along the curve.
std::optional<LossVector> FrontCurve::on_ray(const LossVector& preference, const LossVector& reference) const {
  const auto direction = ray_direction(preference, 2), start = full_reference(reference, 2);
  const auto side = [&](double s) {
    const auto [first, second] = at_(s);
    return direction[1] * (first - start[0]) - direction[0] * (second - start[1]);
  };
  if (side(0) > 0 || side(1) < 0) return std::nullopt;
  const auto found = at(rising_root(0, 1, side));
  if (found[0] < start[0] || found[1] < start[1]) return std::nullopt;  // on the line, behind z
  return found;
}

std::vector<LossVector> FrontCurve::points(std::size_t count) const {
  std::vector<double> lengths{0};  // along the polygon, to each of its corners
  for (std::size_t i = 1; i <= pieces; ++i) {
    const auto before = at_(static_cast<double>(i - 1) / pieces), here = at_(static_cast<double>(i) / pieces);
    lengths.push_back(lengths.back() + std::hypot(here.first - before.first, here.second - before.second));
  }
  std::vector<LossVector> found;
  for (std::size_t k = 0; k < count; ++k) {
    const double wanted =
        count == 1 ? lengths.back() / 2 : lengths.back() * static_cast<double>(k) / static_cast<double>(count - 1);
    const auto after = std::lower_bound(lengths.begin() + 1, lengths.end() - 1, wanted);
    const double share = (wanted - *(after - 1)) / (*after - *(after - 1));
    found.push_back(at((static_cast<double>(after - lengths.begin() - 1) + std::clamp(share, 0.0, 1.0)) / pieces));
  }
  return found;
}

}  // namespace moblo::conformance
