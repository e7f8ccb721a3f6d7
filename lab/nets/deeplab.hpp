#pragma once

#include <memory>
#include <vector>

#include "lab/nets/task_network.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// DeepLabV3: a dilated ResNet, one eighth of the image's size, and one head per task of parallel dilated convolutions.
/// `{.depth = 18, .width = 16, .channels = 32}` is a version for two cores.
struct DeepLabOptions {
  std::vector<std::int64_t> outputs{13, 1, 3};  ///< channels of each task: classes, depth, normal
  std::int64_t depth = 50;                      ///< 18 or 50
  std::int64_t width = 64;                      ///< channels of the first stage; the pretrained networks have 64
  std::int64_t channels = 256;                  ///< of the heads
  std::vector<std::int64_t> rates{12, 24, 36};  ///< dilations of the heads
  double dropout = 0.5;
};

/// Inputs [rows, 3, height, width], both multiples of 8; outputs [rows, outputs, height, width]. While learning, a
/// batch needs two images at least: the heads' pooled branch has one value per image for its batch norm.
std::unique_ptr<TaskNetwork> make_deeplab(const DeepLabOptions& options, Rng& rng);

}  // namespace moblo::lab::nets
