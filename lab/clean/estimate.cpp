#include "lab/clean/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace moblo::lab::clean {
namespace {

constexpr double tail = 0.05;           ///< on either side of an interval
constexpr double normal_tail = 1.6449;  ///< where the normal distribution leaves so much

/// P(at least `hits` of `of`) where each comes with chance p.
double at_least(std::size_t hits, std::size_t of, double p) {
  if (hits == 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const auto n = static_cast<double>(of);
  double sum = 0;
  for (std::size_t i = hits; i <= of; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                    (n - k) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

/// The chance under which at least `hits` come with probability `wanted`; it rises with the chance.
double chance_for(std::size_t hits, std::size_t of, double wanted) {
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (at_least(hits, of, middle) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<HeldOutPair> random_ones(std::vector<HeldOutPair> pairs) {
  std::erase_if(pairs, [](const HeldOutPair& pair) { return !pair.random; });
  std::sort(pairs.begin(), pairs.end(),
            [](const HeldOutPair& a, const HeldOutPair& b) { return a.probability > b.probability; });
  return pairs;
}

double mean(const std::vector<double>& values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

Estimate share_of(std::size_t hits, std::size_t of) {
  if (of == 0) return {};
  return {static_cast<double>(hits) / static_cast<double>(of), hits == 0 ? 0 : chance_for(hits, of, tail),
          hits == of ? 1 : chance_for(hits + 1, of, 1 - tail)};
}

Estimate mean_of(const std::vector<double>& values) {
  Estimate out{mean(values, values.size()), {}, {}};
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.value) * (value - out.value);
  const auto n = static_cast<double>(values.size());
  const double reach = normal_tail * std::sqrt(squares / (n - 1) / n);
  out.low = out.value - reach, out.high = out.value + reach;
  return out;
}

Estimate estimate_wrong_share(const std::vector<double>& wrong, const std::vector<HeldOutPair>& pairs) {
  const double judged = mean(wrong, wrong.size());
  std::vector<double> missed;
  for (const auto& pair : random_ones(pairs)) missed.push_back((pair.wrong ? 1 : 0) - pair.probability);
  if (missed.size() < fewest_pairs) return {judged, {}, {}};
  // where no pair was missed yet, the next ones may be: one more on either side
  missed.insert(missed.end(), {1.0, -1.0});
  const auto correction = mean_of(missed);
  const auto within = [&](double by) { return std::clamp(judged + by, 0.0, 1.0); };
  return {within(correction.value), within(*correction.low), within(*correction.high)};
}

Estimate estimate_precision(const std::vector<double>& descending, std::size_t length,
                            const std::vector<HeldOutPair>& pairs) {
  Estimate out{mean(descending, length), {}, {}};
  const auto random = random_ones(pairs);
  if (length == 0 || random.size() < fewest_pairs) return out;
  std::size_t hits = 0, of = 0;
  for (const auto& pair : random) {
    if (pair.probability < descending[length - 1]) break;
    ++of, hits += pair.wrong ? 1 : 0;
  }
  if (of == 0) return out;
  const auto share = share_of(hits, of);
  out.low = share.low, out.high = share.high;
  return out;
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

std::size_t flagged_at_bound(const std::vector<double>& descending, double bound,
                             const std::vector<HeldOutPair>& pairs) {
  const auto random = random_ones(pairs);
  if (random.size() < fewest_pairs) return 0;
  double threshold = 2;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < random.size(); ++i) {
    hits += random[i].wrong ? 1 : 0;
    if (*share_of(hits, i + 1).low >= bound) threshold = random[i].probability;
  }
  return static_cast<std::size_t>(std::upper_bound(descending.begin(), descending.end(), threshold, std::greater<>()) -
                                  descending.begin());
}

}  // namespace moblo::lab::clean
