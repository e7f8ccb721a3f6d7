#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace moblo::lab::clean {

/// The recipe of `moblo clean`; docs/clean.md gives the reasons.
struct CleanOptions {
  std::uint64_t seed = 0;
  int threads = 1;                        ///< jobs at a time; the results do not depend on it
  double precision = 0.9;                 ///< of the flagged list, as it is estimated
  std::optional<double> precision_bound;  ///< instead: the lower end of its interval
  std::vector<std::string> judges;        ///< names; none: the usual ones
  std::int64_t review = 0;                ///< samples to be listed for checking
  std::int64_t folds = 4;                 ///< a sample is judged by a network that has not seen its label
  std::int64_t steps = 1000;  ///< of a network's training; large data get `epochs`, as long as that is not too much
  std::int64_t epochs = 10;
  std::int64_t most_steps = 3000;
  std::int64_t batch = 100;
  std::vector<std::int64_t> hidden{512, 256};
  double step_size = 2e-3;  ///< Adam, cosine to 0
  double dropout = 0.5;
  double input_dropout = 0.2;             ///< images only: pixels speak for one another, columns of a table do not
  std::int64_t bilevel_iterations = 400;  ///< of FORUM, where that judge is asked
  std::int64_t gallery = 48;              ///< images per dataset in the report

  /// The same code in a tenth of the time, for a first look.
  static CleanOptions quick() {
    CleanOptions options;
    options.folds = 2, options.steps = 250, options.epochs = 3, options.most_steps = 750;
    options.bilevel_iterations = 150;
    return options;
  }
};

}  // namespace moblo::lab::clean
