#include "lab/data/split.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::data {

std::vector<std::vector<std::int64_t>> draw_parts(std::int64_t available, const std::vector<std::int64_t>& sizes,
                                                  std::uint64_t seed, const std::string& name) {
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (total > available) {
    throw Error(ErrorKind::data, name,
                fmt::format("has {} samples, fewer than the {} of all parts together", available, total),
                "Ask for smaller parts");
  }
  const auto order = Rng(derive_seed(seed, "split")).permutation(available);
  auto next = order.begin();
  std::vector<std::vector<std::int64_t>> parts;
  for (const auto size : sizes) {
    parts.emplace_back(next, next + size);
    next += size;
  }
  return parts;
}

Split draw_split(std::int64_t available, const SplitSizes& sizes, std::uint64_t seed, const std::string& name) {
  auto parts = draw_parts(available, {sizes.train, sizes.upper, sizes.select, sizes.test}, seed, name);
  return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2]), std::move(parts[3])};
}

CorruptedLabels corrupt_labels(const std::vector<std::int64_t>& truth, int classes, double share, LabelNoise noise,
                               std::uint64_t seed) {
  const auto samples = static_cast<std::int64_t>(truth.size());
  const std::int64_t count = std::llround(share * static_cast<double>(samples));
  if (noise == LabelNoise::other_class && classes < 2 && count > 0) {
    throw Error(ErrorKind::data, fmt::format("{} class", classes), "leaves no other class for a wrong label",
                "Corrupt no labels");
  }
  CorruptedLabels out{truth, std::vector<bool>(truth.size(), false)};
  Rng rng(derive_seed(seed, "corruption"));
  const auto order = rng.permutation(samples);
  const auto all = static_cast<std::uint64_t>(classes);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sample = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    const auto old = static_cast<std::uint64_t>(truth[sample]);
    const auto drawn = noise == LabelNoise::other_class ? (old + 1 + rng.below(all - 1)) % all : rng.below(all);
    out.labels[sample] = static_cast<std::int64_t>(drawn);
    out.wrong[sample] = drawn != old;
  }
  return out;
}

}  // namespace moblo::lab::data
