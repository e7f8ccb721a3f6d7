#include "lab/clean/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace moblo::lab::clean {
namespace {

constexpr double edge = 1e-12;  ///< probabilities are kept this far from 0 and 1
constexpr double smallest_slope = 0.05;

double logit(double p) {
  const double kept = std::clamp(p, edge, 1 - edge);
  return std::log(kept) - std::log1p(-kept);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

double Calibration::operator()(double p) const {
  return sigmoid(slope * logit(p) + offset);
}

std::vector<JudgedChance> rehearse(const ClassChances& chances, const Labels& right, const NoiseModel& noise) {
  std::vector<JudgedChance> cases;
  const auto classes = static_cast<std::int64_t>(chances.classes);
  for (std::int64_t given = 0; given < classes; ++given) {
    const Labels all_given(right.size(), given);
    const auto wrong = wrong_chances(chances, all_given, noise);
    for (std::size_t j = 0; j < right.size(); ++j) {
      cases.push_back({wrong[j], given != right[j], noise.at(right[j], given)});
    }
  }
  return cases;
}

/// Newton's method on sum weight log-loss + prior/2 ((slope - 1)^2 + offset^2): convex, two unknowns. Steps are halved
/// until the loss falls.
Calibration calibrate(const std::vector<JudgedChance>& cases) {
  constexpr double prior = 5;
  const auto loss = [&](const Calibration& at) {
    double sum = prior / 2 * ((at.slope - 1) * (at.slope - 1) + at.offset * at.offset);
    for (const auto& c : cases) {
      const double x = at.slope * logit(c.probability) + at.offset;
      const double margin = c.wrong ? x : -x;
      sum += c.weight * (std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin))));
    }
    return sum;
  };
  Calibration now;
  double now_loss = loss(now);
  for (int i = 0; i < 30; ++i) {
    double gs = prior * (now.slope - 1), go = prior * now.offset, hss = prior, hso = 0, hoo = prior;
    for (const auto& c : cases) {
      const double x = logit(c.probability), p = sigmoid(now.slope * x + now.offset);
      const double error = c.weight * (p - (c.wrong ? 1 : 0)), bend = c.weight * p * (1 - p);
      gs += error * x, go += error;
      hss += bend * x * x, hso += bend * x, hoo += bend;
    }
    const double determinant = hss * hoo - hso * hso;
    const double ds = (hoo * gs - hso * go) / determinant, d_o = (hss * go - hso * gs) / determinant;
    double length = 1;
    Calibration next = now;
    double next_loss = now_loss;
    for (; length > 1e-6; length /= 2) {
      next = {std::max(smallest_slope, now.slope - length * ds), now.offset - length * d_o};
      next_loss = loss(next);
      if (next_loss < now_loss) break;
    }
    if (next_loss >= now_loss || now_loss - next_loss < 1e-10 * now_loss) break;
    now = next, now_loss = next_loss;
  }
  return now;
}

double calibration_error(const std::vector<JudgedChance>& cases) {
  constexpr std::size_t stretches = 10;
  std::array<double, stretches> promised{}, happened{};
  double total = 0;
  for (const auto& c : cases) {
    const auto bin = std::min(stretches - 1, static_cast<std::size_t>(c.probability * stretches));
    promised[bin] += c.weight * c.probability;
    happened[bin] += c.wrong ? c.weight : 0;
    total += c.weight;
  }
  double gap = 0;
  for (std::size_t i = 0; i < stretches; ++i) gap += std::abs(promised[i] - happened[i]);
  return total > 0 ? gap / total : 0;
}

std::size_t flagged_at(const std::vector<double>& descending, double precision) {
  double sum = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < descending.size(); ++i) {
    sum += descending[i];
    if (sum >= precision * static_cast<double>(i + 1)) longest = i + 1;
  }
  return longest;
}

}  // namespace moblo::lab::clean
