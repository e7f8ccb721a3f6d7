#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::lab::data {

/// Samples with given labels, some of which are known to be right.
struct NoisyDataset {
  std::string name;
  std::vector<std::string> ids;      ///< unique, one per sample
  std::vector<std::int64_t> shape;   ///< of one sample: {features}, or {height, width} / {height, width, 3} of an image
  std::vector<float> inputs;         ///< row-major, samples x product of shape, finite; pixels in [0, 1]
  std::vector<std::string> classes;  ///< names, in the order of their index
  std::vector<std::int64_t> labels;  ///< as given; of trusted samples the label that was found right
  std::vector<bool> trusted;         ///< whether the label is known to be right
  /// As given; of trusted samples before somebody checked them, -1 where that is not known.
  std::vector<std::int64_t> given;
  std::vector<bool> picked;          ///< checked because of what it is, not drawn at random; none: no sample was
  std::vector<float> probabilities;  ///< samples x classes, by a model of the user's; empty where none was brought
  bool image = false;
  std::vector<std::filesystem::path> pictures{};  ///< the image file of each sample; empty where samples have none
  std::vector<std::string> groups{};  ///< of each sample: who labelled it, or the like; empty where nothing groups them
  std::string features{};  ///< what made the inputs of pictures, as a model's file tells it (JSON); empty for pixels
  Json encoding{};         ///< of a table: how its columns became inputs, for further rows; null otherwise
  Json columns{};          ///< of a table, column by column: name, kind, missing, example, becomes, remark
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t width() const;  ///< product of shape
};

}  // namespace moblo::lab::data
