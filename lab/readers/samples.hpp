#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/data/problems.hpp"
#include "lab/readers/noisy_reader.hpp"

namespace moblo::lab::readers {

class TableEncoding;

constexpr std::int64_t fewest_samples = 20;
constexpr std::int64_t most_samples = std::int64_t{1}
                                      << 24;  ///< of one file; each takes a hundred bytes beside its values

/// Throws Error(data) for more.
void refuse_too_many(std::int64_t samples, const std::string& file);

/// What one file holds, before classes are numbered.
struct Samples {
  std::string file;  ///< for messages
  std::vector<std::string> ids;
  bool own_ids = false;             ///< from the file, not counted
  std::vector<std::int64_t> rows;   ///< where a sample stands in a table, counted from 1; empty: in order, from 0
  std::vector<std::int64_t> shape;  ///< of one sample
  bool image = false;
  std::vector<float> inputs;
  std::vector<std::string> labels;
  std::vector<bool> trusted;
  std::vector<std::string> given;  ///< labels before somebody checked them, empty where not known; none: nothing known
  std::vector<bool> picked;        ///< checked because of what it is; none: no sample was
  bool marked = false;             ///< the file says which samples are trusted
  std::shared_ptr<const TableEncoding> encoding{};  ///< how the columns of a table became inputs
  std::vector<std::filesystem::path> pictures;      ///< the image files of the samples; empty where they have none
  std::string made_by;                              ///< the features of pictures, see NoisyDataset::features

  std::size_t size() const { return labels.size(); }
  std::size_t width() const;
  std::string place(std::size_t sample) const;  ///< "row 7" or "sample 5"
};

/// Throws Error(data) where samples are not of the shape that `of` has.
void refuse_other_shape(const Samples& samples, const std::vector<std::int64_t>& shape, const std::string& of);

/// Ids "0", "1", ..
void count_ids(Samples& samples);

/// Adds missing labels, missing ids and ids that come twice.
void find_bad_labels_and_ids(const Samples& samples, data::Problems& problems);

/// Marks the samples whose ids the lines of a text file name.
void mark_listed(Samples& samples, const std::filesystem::path& list);

/// The label of a sample before somebody checked it; empty where that is not known.
const std::string& given_label(const Samples& samples, std::size_t sample);

/// Takes `checked` for the right label of a sample that had another one, or the same.
void set_checked_label(Samples& samples, std::size_t sample, const std::string& checked);

/// Adds the samples of a file of trusted ones (all, unless it marks them itself). A sample of the same id replaces the
/// one that is there: the row that somebody has checked counts, and the label that was there is kept as `given`.
void add_trusted(Samples& samples, Samples trusted, ReadingNotes& notes);

/// Numbers the classes and applies the rules that hold for every format.
data::NoisyDataset finish_noisy(const std::string& name, Samples samples, ReadingNotes& notes);

/// The same for a test set of `dataset`.
data::NoisyDataset finish_test(Samples samples, const data::NoisyDataset& dataset);

}  // namespace moblo::lab::readers
