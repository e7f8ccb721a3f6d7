#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace moblo::lab::readers {

/// Free text as numbers: each word, in lower case, falls into one of so many places by a hash of its bytes.
constexpr std::size_t word_places = 128;

/// How often words of each place occur. A word is a run of letters, digits and bytes beyond ASCII.
void count_words(std::string_view text, std::vector<float>& counts);

std::size_t number_of_words(std::string_view text);

/// log(1 + n / k) of each place that k of n texts use.
class WordStatistics {
 public:
  void add(std::string_view text);
  std::vector<double> rarity() const;

 private:
  std::vector<std::size_t> uses_ = std::vector<std::size_t>(word_places);
  std::vector<float> counts_;
  std::size_t texts_ = 0;
};

/// log(1 + count) * rarity, scaled to length 1; zeros where there are no words.
void weigh_words(std::string_view text, const std::vector<double>& rarity, float* to);

}  // namespace moblo::lab::readers
