#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace moblo::lab::data {

/// How many samples each part of a dataset gets.
struct SplitSizes {
  std::int64_t train = 5000, upper = 1000, select = 1000, test = 5000;
  std::int64_t total() const { return train + upper + select + test; }
};

/// Which samples, by their position in the file. The parts share none.
struct Split {
  std::vector<std::int64_t> train, upper, select, test;
};

/// Disjoint parts of these sizes, drawn uniformly, a function of the seed alone. `name` is the dataset's, for the
/// message of Error(data) where there are too few samples.
std::vector<std::vector<std::int64_t>> draw_parts(std::int64_t available, const std::vector<std::int64_t>& sizes,
                                                  std::uint64_t seed, const std::string& name);

/// The same for four parts that have names.
Split draw_split(std::int64_t available, const SplitSizes& sizes, std::uint64_t seed, const std::string& name);

enum class LabelNoise {
  other_class,  ///< uniformly one of the other classes
  any_class     ///< uniformly one of all classes; some labels stay right
};

constexpr auto enum_names(LabelNoise) {
  return std::array{std::pair{"other_class", LabelNoise::other_class}, std::pair{"any_class", LabelNoise::any_class}};
}

struct CorruptedLabels {
  std::vector<std::int64_t> labels;
  std::vector<bool> wrong;  ///< whether the label differs from the true one
};

/// Draws new labels for round(share * n) samples.
CorruptedLabels corrupt_labels(const std::vector<std::int64_t>& truth, int classes, double share, LabelNoise noise,
                               std::uint64_t seed);

}  // namespace moblo::lab::data
