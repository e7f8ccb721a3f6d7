#include "lab/readers/noisy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/data/csv_file.hpp"
#include "lab/readers/class_probabilities.hpp"
#include "lab/readers/csv_samples.hpp"
#include "lab/readers/idx_samples.hpp"
#include "lab/readers/image_samples.hpp"
#include "lab/readers/npz_samples.hpp"
#include "lab/readers/picture_features.hpp"
#include "lab/readers/rows_by_id.hpp"
#include "lab/readers/table_encoding.hpp"
#include "lab/readers/verdicts.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

enum class Format { csv, npz, idx, images };

bool has_path_column(const fs::path& file) {
  data::CsvFile records(file);
  std::vector<std::string_view> cells;
  records.next(cells);
  return std::any_of(cells.begin(), cells.end(), [](auto cell) { return data::trimmed(cell) == "path"; });
}

/// By what the file holds; only between a table and a list of lines does the name decide.
Format detect(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return Format::images;
  const data::Bytes start = data::read_file_bytes(file, 6);
  const auto begins = [&](std::initializer_list<std::uint8_t> magic) {
    return start.size() >= magic.size() && std::equal(magic.begin(), magic.end(), start.begin());
  };
  if (begins({'P', 'K'}) || begins({0x93, 'N', 'U', 'M', 'P', 'Y'})) return Format::npz;
  if (begins({0, 0, 8})) return Format::idx;
  const auto end = file.extension();
  return end == ".txt" || end == ".lst" || end == ".list" || has_path_column(file) ? Format::images : Format::csv;
}

Format format_of(const data::NoisySource& source) {
  if (source.format == "csv") return Format::csv;
  if (source.format == "npz") return Format::npz;
  if (source.format == "idx") return Format::idx;
  if (source.format == "images") return Format::images;
  if (source.format.empty() || source.format == "auto") return detect(source.data);
  throw Error(ErrorKind::usage, source.format, "is not a format", "Use auto, csv, npz, idx or images");
}

void refuse_absent(const fs::path& file) {
  std::error_code ignored;
  if (!file.empty() && !fs::exists(file, ignored)) data::refuse_unless_file(file);
}

bool is_array(const fs::path& file) {
  const data::Bytes start = data::read_file_bytes(file, 6);
  return start.size() >= 6 && start[0] == 0x93 && start[1] == 'N';
}

/// What is beside the data: ids of trusted samples, marks, or more samples.
void apply_trusted(const data::NoisySource& source, Format format, Samples& samples, ReadingNotes& notes) {
  if (source.trusted.empty()) return;
  if (source.trusted.extension() == ".txt") return mark_listed(samples, source.trusted);
  if (format == Format::csv) {
    add_trusted(samples, read_csv_samples(source.trusted, source, notes, samples.encoding.get()), notes);
  } else if (format == Format::idx) {
    add_trusted(samples, read_idx_samples(source.trusted, source.trusted_labels, "--trusted-labels"), notes);
  } else if (source.trusted_labels.empty() && is_array(source.trusted)) {
    mark_by_array(samples, source.trusted);
  } else {
    add_trusted(samples, read_npz_samples(source.trusted, source.trusted_labels, notes), notes);
  }
}

Samples read_samples(const data::NoisySource& source, Format format, PictureFeatures* features, ReadingNotes& notes) {
  if (format == Format::csv) return read_csv_samples(source.data, source, notes);
  if (format == Format::idx) return read_idx_samples(source.data, source.labels, "--labels");
  if (format == Format::npz) return read_npz_samples(source.data, source.labels, notes);
  return read_picture_samples(list_noisy_images(source, notes), source, features, notes);
}

}  // namespace

data::NoisyDataset read_noisy_dataset(const data::NoisySource& source, ReadingNotes* notes, PictureFeatures* features) {
  ReadingNotes said;
  for (const auto& file :
       {source.data, source.labels, source.trusted, source.trusted_labels, source.checked, source.probabilities}) {
    refuse_absent(file);
  }
  const Format format = format_of(source);
  Samples samples = read_samples(source, format, features, said);
  if (format != Format::images) apply_trusted(source, format, samples, said);
  if (samples.own_ids && samples.pictures.empty()) {
    samples.pictures = pictures_named_by(samples.ids, source.data.parent_path());
  }
  if (!source.checked.empty()) apply_verdicts(samples, source.checked, source.name, said);
  data::NoisyDataset dataset = finish_noisy(source.name, std::move(samples), said);
  if (!source.group_column.empty()) dataset.groups = groups_by_id(source, dataset.ids);
  if (!source.probabilities.empty()) {
    dataset.probabilities = read_class_probabilities(source.probabilities, dataset);
  }
  if (notes) notes->insert(notes->end(), said.begin(), said.end());
  return dataset;
}

std::vector<data::NoisyDataset> read_noisy_datasets(const std::vector<data::NoisySource>& sources,
                                                    ReadingNotes* notes) {
  std::vector<data::NoisyDataset> datasets;
  for (const auto& source : sources) {
    ReadingNotes said;
    datasets.push_back(read_noisy_dataset(source, &said));
    if (!notes) continue;
    for (const auto& note : said) notes->push_back(source.name + ": " + note);
  }
  return datasets;
}

data::NoisyDataset read_test_set(const data::NoisySource& test, const data::NoisyDataset& dataset, ReadingNotes* notes,
                                 PictureFeatures* features) {
  ReadingNotes said;
  for (const auto& file : {test.data, test.labels}) refuse_absent(file);
  const Format format = format_of(test);
  Samples samples;
  if (format == Format::images && features && !dataset.features.empty()) {
    const auto list = list_images(test.data, test, said);
    samples = read_feature_samples(list, look_at_pictures(list, 0), *features, said);
  } else if (format == Format::images && dataset.image) {
    samples = read_image_samples(list_images(test.data, test, said), 0, dataset.shape, said);
  } else if (format == Format::csv && !dataset.encoding.is_null()) {
    const auto encoding = TableEncoding::from_json(dataset.encoding, dataset.name);
    samples = read_csv_samples(test.data, test, said, &encoding);
  } else if (format == Format::idx) {
    samples = read_idx_samples(test.data, test.labels, "--test-labels");
  } else {
    samples = read_samples(test, format, nullptr, said);
  }
  if (notes) notes->insert(notes->end(), said.begin(), said.end());
  return finish_test(std::move(samples), dataset);
}

Samples read_unlabelled(const data::NoisySource& source, const data::NoisyDataset& like, ReadingNotes& notes,
                        PictureFeatures* features) {
  refuse_absent(source.data);
  const Format format = format_of(source);
  if (!like.encoding.is_null() && format == Format::csv) {
    return read_csv_rows(source.data, source, notes, TableEncoding::from_json(like.encoding, like.name));
  }
  Samples samples;
  if (features && format == Format::images) {
    const auto list = list_images(source.data, source, notes);
    samples = read_feature_samples(list, look_at_pictures(list, 0), *features, notes);
  } else if (like.image && format == Format::images) {
    samples = read_image_samples(list_images(source.data, source, notes), 0, like.shape, notes);
  } else if (like.encoding.is_null() && format == Format::npz) {
    samples = read_npz_inputs(source.data, notes);
  } else {
    throw Error(ErrorKind::data, source.data.string(), "is not of the format that the model learned from",
                like.encoding.is_null() ? "Give arrays of NumPy, or images" : "Give a table with its columns");
  }
  refuse_other_shape(samples, like.shape, "the model");
  return samples;
}

}  // namespace moblo::lab::readers
