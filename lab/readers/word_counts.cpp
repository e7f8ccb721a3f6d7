#include "lab/readers/word_counts.hpp"

#include <cctype>
#include <cmath>
#include <cstdint>

namespace moblo::lab::readers {
namespace {

bool in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 128 || std::isalnum(byte);
}

/// Calls `take` with a hash (FNV-1a) of each word.
template <class Take>
void each_word(std::string_view text, const Take& take) {
  constexpr std::uint64_t start = 14695981039346656037ULL, factor = 1099511628211ULL;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    std::uint64_t hash = start;
    for (; at < text.size() && in_word(text[at]); ++at) {
      hash = (hash ^ static_cast<std::uint64_t>(std::tolower(static_cast<unsigned char>(text[at])))) * factor;
    }
    take(hash ^ (hash >> 32));
  }
}

}  // namespace

void count_words(std::string_view text, std::vector<float>& counts) {
  counts.assign(word_places, 0);
  each_word(text, [&](std::uint64_t hash) { ++counts[hash % word_places]; });
}

std::size_t number_of_words(std::string_view text) {
  std::size_t count = 0;
  each_word(text, [&](std::uint64_t) { ++count; });
  return count;
}

void WordStatistics::add(std::string_view text) {
  count_words(text, counts_);
  for (std::size_t i = 0; i < word_places; ++i) uses_[i] += counts_[i] > 0 ? 1 : 0;
  ++texts_;
}

std::vector<double> WordStatistics::rarity() const {
  std::vector<double> rarity;
  for (const auto uses : uses_) {
    rarity.push_back(std::log1p(static_cast<double>(texts_) / static_cast<double>(uses > 0 ? uses : 1)));
  }
  return rarity;
}

void weigh_words(std::string_view text, const std::vector<double>& rarity, float* to) {
  std::vector<float> counts;
  count_words(text, counts);
  double square = 0;
  for (std::size_t i = 0; i < word_places; ++i) {
    const double weight = std::log1p(static_cast<double>(counts[i])) * rarity[i];
    to[i] = static_cast<float>(weight);
    square += weight * weight;
  }
  if (square == 0) return;
  const auto factor = static_cast<float>(1 / std::sqrt(square));
  for (std::size_t i = 0; i < word_places; ++i) to[i] *= factor;
}

}  // namespace moblo::lab::readers
