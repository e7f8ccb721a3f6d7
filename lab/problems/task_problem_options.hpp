#pragma once

#include "lab/problems/multitask_options.hpp"

namespace moblo::lab::problems {

/// Two digits or garments in one image, two tasks, a LeNet. The defaults are the usual benchmark.
struct PairedDigitsOptions : MultitaskOptions {
  PairedDigitsOptions() { batch = 256; }

  std::int64_t train = 50000;      ///< images that train the network
  std::int64_t validation = 5000;  ///< of the upper losses
  std::int64_t select = 5000;      ///< that choose the model
  std::int64_t test = 10000;
  std::int64_t first_channels = 10, second_channels = 20;  ///< of the two convolutions
  std::int64_t features = 50;                              ///< of the trunk

  static const OptionTable<PairedDigitsOptions>& table();
};

enum class OfficeBackbone { frozen_squeezenet, resnet18 };

/// Office-31: three domains, one dataset per task.
struct Office31Options : MultitaskOptions {
  OfficeBackbone backbone = OfficeBackbone::frozen_squeezenet;
  std::string weights;  ///< safetensors or npz with torchvision's names; empty = sought beside the data
  std::int64_t hidden = 512;
  double dropout = 0.5;

  static const OptionTable<Office31Options>& table();
};

/// NYUv2: segmentation, depth and surface normals of one image. The defaults are a size that two cores can train.
struct Nyuv2Options : MultitaskOptions {
  Nyuv2Options() { batch = 8; }

  std::int64_t height = 96, width = 128;
  std::int64_t validation = 40;  ///< of the training scenes, for the upper losses and the choice of the model
  std::int64_t depth = 18;       ///< of the dilated ResNet: 18 or 50
  std::int64_t first_channels = 16, head_channels = 32;
  std::vector<double> rates{3, 6, 9};  ///< dilations of the heads; 12, 24, 36 at 288 x 384
  std::string weights;                 ///< of the ResNet, safetensors or npz with torchvision's names; empty = none

  static const OptionTable<Nyuv2Options>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

/// QM9: eleven properties of a molecule.
struct Qm9Options : MultitaskOptions {
  Qm9Options() { batch = 128; }

  std::int64_t train = 10000, validation = 1500;  ///< molecules; the rest are for the test
  std::int64_t hidden = 64, edge_hidden = 128, passes = 3, readout_steps = 3;

  static const OptionTable<Qm9Options>& table();
};

ProblemInfo multi_mnist_info();
ProblemInfo multi_fashion_info();
ProblemInfo office31_info();
ProblemInfo nyuv2_info();
ProblemInfo qm9_info();

constexpr auto enum_names(OfficeBackbone) {
  return std::array{std::pair{"frozen_squeezenet", OfficeBackbone::frozen_squeezenet},
                    std::pair{"resnet18", OfficeBackbone::resnet18}};
}

}  // namespace moblo::lab::problems
