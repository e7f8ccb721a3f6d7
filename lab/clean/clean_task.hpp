#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/clean/noise_model.hpp"
#include "lab/data/noisy_dataset.hpp"

namespace moblo::lab::clean {

struct LabelledInputs {
  torch::Tensor inputs;  ///< samples x width, scaled
  Labels labels;
  Labels given{};              ///< of trusted samples: before somebody checked them, -1 where that is not known
  std::vector<bool> picked{};  ///< of trusted samples: checked because of what they are, not drawn at random
  ClassChances brought{};      ///< by a model of the user's; empty where there is none
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

/// scaled = (raw - mean) * scale, column by column.
struct InputScaling {
  std::vector<double> mean, scale;
};

torch::Tensor scaled_inputs(const torch::Tensor& raw, const InputScaling& scaling);

/// One dataset as the networks see it. No sample is in two of its parts.
struct CleanTask {
  std::string name;
  std::vector<std::string> classes;
  std::vector<std::int64_t> shape;
  bool image = false;
  Json encoding, columns;  ///< of a table, as NoisyDataset has them; null otherwise
  InputScaling scaling;
  std::vector<std::string> ids;                   ///< of the noisy samples
  std::vector<std::filesystem::path> pictures{};  ///< of the noisy samples; empty where there are none
  std::vector<std::string> groups{};  ///< of the noisy samples: who labelled them, or the like; may be empty
  std::string features{};             ///< what made the inputs of pictures; empty for pixels and columns
  LabelledInputs noisy;
  LabelledInputs trusted;                  ///< perhaps none
  std::optional<LabelledInputs> test;      ///< no decision sees it
  std::optional<std::vector<bool>> wrong;  ///< whether a noisy label is, where that is known; no decision sees it

  std::int64_t width() const { return noisy.inputs.size(1); }
};

/// Columns of a table get mean 0 and deviation 1 (constant ones become 0), pixels stay; then one factor gives the
/// samples a root mean square length of 10, so that one step size suits all data. Error(data) where nothing is noisy.
CleanTask make_clean_task(const data::NoisyDataset& data);

/// `test` has the classes and the shape of the task's data.
void add_test_set(CleanTask& task, const data::NoisyDataset& test);

/// A rehearsal: moves that share of the noisy labels to another class and remembers which.
void inject_wrong_labels(CleanTask& task, double share, std::uint64_t seed);

/// SHA-256 of all that the results depend on: inputs, labels, how samples were parted.
std::string digest_of(const std::vector<CleanTask>& tasks);

/// The paper's two datasets with its split and half of the labels wrong; its held-out samples are trusted, too.
/// `data_directory` as in require_dataset.
std::vector<CleanTask> paper_clean_tasks(std::uint64_t seed, const std::string& data_directory);

}  // namespace moblo::lab::clean
