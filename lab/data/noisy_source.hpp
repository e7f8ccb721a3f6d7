#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace moblo::lab::data {

/// Where the samples of one dataset stand; docs/data_formats.md. An empty column name means the default (`label`, `id`,
/// `trusted`, `checked_label`), of which all but the first may be absent; a column that is named here must be there.
struct NoisySource {
  std::string name;
  std::filesystem::path data, labels, trusted;
  std::filesystem::path checked;        ///< verdicts: id, checked_label
  std::filesystem::path probabilities;  ///< id and one column per class
  std::string format = "auto";          ///< auto | csv | npz | idx | images
  std::string label_column, id_column, trusted_column, checked_column, group_column;
  std::filesystem::path trusted_labels;      ///< IDX and npy: the labels of `trusted`
  std::vector<std::string> ignored_columns;  ///< CSV: neither feature nor label
  /// CSV: number, amount, category, boolean, date, text or ignore, by column; what is not said is found out.
  std::vector<std::pair<std::string, std::string>> column_kinds;
  std::int64_t image_size = 0;    ///< side of the square that images are brought to; 0 decides by the images
  std::string features = "auto";  ///< image files: auto | none | squeezenet | a file of weights
};

/// The texts of the options below as they were given, each "[NAME=]VALUE".
struct NoisyArguments {
  std::vector<std::string> noisy, labels, trusted, trusted_labels, test, test_labels;
  std::vector<std::string> checked, probabilities, image_size, features;
  std::vector<std::string> format, label_column, id_column, trusted_column, checked_column, group_column, ignore,
      columns;
};

/// One repeatable option of the command line.
struct NoisyOption {
  std::string flag, value, help;
  std::vector<std::string> NoisyArguments::*texts;
};
const std::vector<NoisyOption>& noisy_options();

/// One source for each --noisy, in their order. A dataset without NAME= is called by its file. The other options speak
/// of the dataset that they name; the name may be left out where there is one dataset only. Throws Error(usage).
std::vector<NoisySource> parse_noisy_sources(const NoisyArguments& arguments);

/// The test set of each source, with `data` empty where none was given: the same columns and format, no trusted part.
std::vector<NoisySource> parse_test_sources(const NoisyArguments& arguments, const std::vector<NoisySource>& sources);

}  // namespace moblo::lab::data
