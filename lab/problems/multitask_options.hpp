#pragma once

#include <cstdint>
#include <string>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

enum class Networks { shared, separate };
enum class UpperSamples { validation, train };
enum class TrainingSamples { train, train_and_validation };

/// What all multi-task problems share.
struct MultitaskOptions {
  std::string data;                               ///< directory with one folder per dataset
  std::int64_t batch = 64;                        ///< samples in a batch, of each dataset
  Networks networks = Networks::shared;           ///< one trunk with a head per task, or a network per task
  UpperSamples upper = UpperSamples::validation;  ///< what the upper losses are evaluated on
  Dtype dtype = Dtype::f32;
  TrainingSamples training = TrainingSamples::train;  ///< what the lower loss and single-level methods see
};

/// The fields above, in the table of an options struct that derives from them.
template <class O>
void add_multitask_fields(OptionTable<O>& t) {
  t.template add<std::string>("data", &O::data,
                              "directory with one folder per dataset; empty = MOBLO_DATA, the cache, the system's");
  t.template add<std::int64_t>("batch", &O::batch, "samples in a batch, of each dataset", at_least(1));
  t.template add<Networks>("networks", &O::networks,
                           "a trunk that all tasks share, or a network per task (what method = \"stl\" asks for)");
  t.template add<UpperSamples>("upper", &O::upper, "samples of the upper losses: held out, or the training set's");
  t.template add<TrainingSamples>("training", &O::training,
                                  "samples that train the network; with validation a fair set for one-level methods");
  t.template add<Dtype>("dtype", &O::dtype, "single or double precision");
}

constexpr auto enum_names(Networks) {
  return std::array{std::pair{"shared", Networks::shared}, std::pair{"separate", Networks::separate}};
}
constexpr auto enum_names(UpperSamples) {
  return std::array{std::pair{"validation", UpperSamples::validation}, std::pair{"train", UpperSamples::train}};
}
constexpr auto enum_names(TrainingSamples) {
  return std::array{std::pair{"train", TrainingSamples::train},
                    std::pair{"train+validation", TrainingSamples::train_and_validation}};
}

}  // namespace moblo::lab::problems
