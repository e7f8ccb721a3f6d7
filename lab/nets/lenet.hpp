#pragma once

#include <memory>
#include <vector>

#include "lab/nets/task_network.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// The network of Sener & Koltun (2018) for two digits in one image: two 5x5 convolutions, each followed by a 2x2
/// maximum and a ReLU, one dense layer; heads of two dense layers. Their dropout is an option.
struct LeNetOptions {
  std::vector<std::int64_t> classes{10, 10};  ///< of each task
  std::int64_t image = 36;                    ///< side in pixels: 36 for two digits, 28 for one
  std::int64_t channels = 1;
  std::int64_t first = 10, second = 20;  ///< channels of the convolutions
  std::int64_t features = 50;
  double dropout = 0;  ///< in the heads, before their last layer
};

/// Inputs: [rows, channels, image, image], or the same with one row of pixels per sample.
std::unique_ptr<TaskNetwork> make_lenet(const LeNetOptions& options, Rng& rng);

}  // namespace moblo::lab::nets
