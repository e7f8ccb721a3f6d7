#include "lab/problems/task_problem_options.hpp"

#include <fmt/format.h>

#include "lab/problems/task_problems.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::problems {

const OptionTable<PairedDigitsOptions>& PairedDigitsOptions::table() {
  static const auto table = [] {
    using O = PairedDigitsOptions;
    OptionTable<O> t;
    add_multitask_fields(t);
    t.add("train", &O::train, "images that train the network", at_least(2));
    t.add("validation", &O::validation, "images of the upper losses", at_least(1));
    t.add("select", &O::select, "images that choose the model", at_least(1));
    t.add("test", &O::test, "test images", at_least(1));
    t.add("first_channels", &O::first_channels, "channels of the first convolution", at_least(1));
    t.add("second_channels", &O::second_channels, "channels of the second convolution", at_least(1));
    t.add("features", &O::features, "width of the trunk's last layer", at_least(1));
    return t;
  }();
  return table;
}

const OptionTable<Office31Options>& Office31Options::table() {
  static const auto table = [] {
    using O = Office31Options;
    OptionTable<O> t;
    add_multitask_fields(t);
    t.add("backbone", &O::backbone, "frozen features that are computed once, or a ResNet-18 that is trained");
    t.add("weights", &O::weights, "of the backbone, safetensors or npz; empty = sought beside the data");
    t.add("hidden", &O::hidden, "width of the shared layer after the pooled features", at_least(1));
    t.add("dropout", &O::dropout, "share of the hidden units that a step drops", at_least_below(0, 1));
    return t;
  }();
  return table;
}

const OptionTable<Nyuv2Options>& Nyuv2Options::table() {
  static const auto table = [] {
    using O = Nyuv2Options;
    OptionTable<O> t;
    add_multitask_fields(t);
    t.add("height", &O::height, "of the images, a multiple of 8", at_least(8));
    t.add("width", &O::width, "of the images, a multiple of 8", at_least(8));
    t.add("validation", &O::validation, "training scenes held out for the upper losses and the choice of the model",
          at_least(1));
    t.add("depth", &O::depth, "of the dilated ResNet: 18 or 50", within(18, 50));
    t.add("first_channels", &O::first_channels, "of the ResNet; pretrained ones have 64", at_least(1));
    t.add("head_channels", &O::head_channels, "of the heads; the paper's have 256", at_least(1));
    t.add("rates", &O::rates, "dilations of the heads; the paper's are 12, 24, 36", at_least(1));
    t.add("weights", &O::weights, "of the ResNet, safetensors or npz; empty = none");
    return t;
  }();
  return table;
}

void Nyuv2Options::refuse_contradictions(const OptionPlace& place) const {
  const auto refuse = [&](const std::string& key, const std::string& rule, const std::string& next) {
    throw Error(ErrorKind::config, place.child(key).text(), rule, next);
  };
  if (height % 8 != 0) refuse("height", fmt::format("{} is not a multiple of 8", height), "Try 96 or 288");
  if (width % 8 != 0) refuse("width", fmt::format("{} is not a multiple of 8", width), "Try 128 or 384");
  if (depth != 18 && depth != 50) refuse("depth", fmt::format("there is no ResNet-{} here", depth), "Choose 18 or 50");
  if (rates.empty()) refuse("rates", "the list is empty", "Give at least one, e.g. [12, 24, 36]");
  if (batch < 2) refuse("batch", "a batch norm of the heads sees one value per image", "Give at least 2");
}

const OptionTable<Qm9Options>& Qm9Options::table() {
  static const auto table = [] {
    using O = Qm9Options;
    OptionTable<O> t;
    add_multitask_fields(t);
    t.add("train", &O::train, "molecules that train the network", at_least(2));
    t.add("validation", &O::validation, "molecules of the upper losses and the choice of the model", at_least(1));
    t.add("hidden", &O::hidden, "width of an atom's state", at_least(1));
    t.add("edge_hidden", &O::edge_hidden, "width of the edge network", at_least(1));
    t.add("passes", &O::passes, "of messages between atoms", at_least(1));
    t.add("readout_steps", &O::readout_steps, "of the readout", at_least(1));
    return t;
  }();
  return table;
}

ProblemInfo multi_mnist_info() {
  return problem::make_problem_info<PairedDigitsOptions>(
      "multi_mnist", "two overlapping digits in one image, one task per digit; the two loss weights are learned",
      {.tasks = true}, make_multi_mnist);
}

ProblemInfo multi_fashion_info() {
  return problem::make_problem_info<PairedDigitsOptions>(
      "multi_fashion", "two overlapping garments in one image, one task per garment; the loss weights are learned",
      {.tasks = true}, make_multi_fashion);
}

ProblemInfo office31_info() {
  return problem::make_problem_info<Office31Options>(
      "office31", "the paper's Office-31: three domains of 31 classes, a dataset per task; loss weights are learned",
      {.tasks = true}, make_office31);
}

ProblemInfo nyuv2_info() {
  return problem::make_problem_info<Nyuv2Options>(
      "nyuv2", "the paper's NYUv2: segmentation, depth and surface normals of a scene; loss weights are learned",
      {.tasks = true}, make_nyuv2);
}

ProblemInfo qm9_info() {
  return problem::make_problem_info<Qm9Options>(
      "qm9", "the paper's QM9: eleven properties of a molecule; the weights of the losses are learned", {.tasks = true},
      make_qm9);
}

}  // namespace moblo::lab::problems
