#include "moblo/data/split.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo {

Split draw_split(std::int64_t available, const SplitSizes& sizes, std::uint64_t seed, const std::string& name) {
  if (sizes.total() > available) {
    throw Error(ErrorKind::data, name,
                fmt::format("has {} samples, fewer than the {} of the four parts together", available, sizes.total()),
                "Ask for smaller parts (train, upper, select, test)");
  }
  const auto order = Rng(derive_seed(seed, "split")).permutation(available);
  auto next = order.begin();
  const auto take = [&](std::int64_t count) {
    const auto first = next;
    next += count;
    return std::vector<std::int64_t>(first, next);
  };
  Split split;
  split.train = take(sizes.train);
  split.upper = take(sizes.upper);
  split.select = take(sizes.select);
  split.test = take(sizes.test);
  return split;
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

}  // namespace moblo
