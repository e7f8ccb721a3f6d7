#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/data/split.hpp"
#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

/// Where the weights sigmoid(alpha) start: one half each, or as who knows the wrong labels would set them (1 and 0).
/// The latter is no start for learning but the yardstick of a refit: no weights can clean better.
enum class StartingWeights { equal, truth };

constexpr auto enum_names(StartingWeights) {
  return std::array{std::pair{"equal", StartingWeights::equal}, std::pair{"truth", StartingWeights::truth}};
}

/// Multi-objective data hyper-cleaning; the defaults are the paper's.
struct HyperCleaningOptions {
  std::vector<std::string> datasets{"mnist", "fashion-mnist"};  ///< one objective each
  std::string data;                                             ///< directory with one folder per dataset
  std::int64_t train = 5000;                                    ///< training samples per dataset, one weight each
  std::int64_t upper = 1000;                                    ///< trusted samples of the upper losses
  std::int64_t select = 1000;                                   ///< trusted samples that choose the model
  std::int64_t test = 5000;
  double wrong = 0.5;  ///< share of the training labels that are drawn again
  data::LabelNoise noise = data::LabelNoise::other_class;
  StartingWeights weights = StartingWeights::equal;
  std::vector<double> hidden{512, 256};  ///< widths of the shared layers
  std::int64_t extra_layers = 0;         ///< more layers, as wide as the first, after it
  std::int64_t batch = 100;              ///< samples per dataset in a batch
  Dtype dtype = Dtype::f32;

  static const OptionTable<HyperCleaningOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

ProblemInfo hyper_cleaning_info();

}  // namespace moblo::lab::problems
