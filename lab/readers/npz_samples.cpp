#include "lab/readers/npz_samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/data/npy.hpp"
#include "lab/readers/npz.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

const std::vector<std::string> input_names{"x", "inputs", "features"}, label_names{"y", "labels"};

bool is_archive(const std::filesystem::path& file) {
  const data::Bytes start = data::read_file_bytes(file, 2);
  return start.size() >= 2 && start[0] == 'P' && start[1] == 'K';
}

bool fills_unit_range(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value >= 0 && value <= 1; });
}

/// n x height x width [x 3 or 1] of bytes, or of numbers within [0, 1], are images; anything else is features.
void shape_inputs(const data::NpyArray& array, Samples& samples, ReadingNotes& notes) {
  std::vector<std::int64_t> shape(array.shape.begin() + 1, array.shape.end());
  if (shape.size() == 3 && shape[2] == 1) shape.pop_back();
  const bool image_shape = shape.size() == 2 || (shape.size() == 3 && shape[2] == 3);
  const bool bytes = array.kind == 'u' && array.item == 1;
  samples.image = image_shape && (bytes || fills_unit_range(samples.inputs));
  samples.shape = shape;
  if (samples.image && bytes) {
    for (auto& value : samples.inputs) value /= 255;
  }
  if (samples.image || shape.size() == 1) return;
  samples.shape = {static_cast<std::int64_t>(samples.width())};
  notes.push_back(fmt::format("{} is not an image (bytes, or numbers in [0, 1]); its values are taken as {} features",
                              array.name, samples.shape[0]));
}

void read_inputs(const data::NpyArray& array, Samples& samples, data::Problems& problems, ReadingNotes& notes) {
  if (array.shape.size() < 2) {
    throw Error(ErrorKind::data, array.name,
                fmt::format("has {} dimensions; samples x features are needed", array.shape.size()),
                "Save an array of two dimensions or more, the first of which counts samples");
  }
  samples.inputs = data::npy_floats(array, problems);
  shape_inputs(array, samples, notes);
}

std::vector<bool> read_flags(const data::NpyArray& array, data::Problems& problems) {
  std::vector<bool> flags;
  for (const auto& text : data::npy_texts(array, problems)) {
    if (text != "0" && text != "1") {
      problems.add(
          fmt::format("array {}: sample {}: {} is neither 0 nor 1", array.name, flags.size(), data::in_quotes(text)));
    }
    flags.push_back(text == "1");
  }
  return flags;
}

/// Before values become texts, which take more memory.
void refuse_other_count(const std::string& name, const data::NpyArray& array, std::size_t samples) {
  const std::size_t count = array.shape.empty() ? 1 : static_cast<std::size_t>(array.shape[0]);
  if (count == samples) return;
  throw Error(ErrorKind::data, name, fmt::format("has {} values for {} samples", count, samples),
              "Save one value per sample");
}

data::NpyArray read_required(const NpzFile& file, const std::vector<std::string>& candidates, const std::string& path) {
  const std::string name = file.find(candidates);
  if (!name.empty()) return file.read(name);
  throw Error(ErrorKind::data, path,
              fmt::format("has no array called {}; there are {}", base::join(candidates, " or "),
                          file.names().empty() ? "none" : data::some_of(file.names())),
              "Save it with numpy.savez(file, x=.., y=..)");
}

void take_ids(const NpzFile* archive, Samples& samples, data::Problems& problems) {
  if (!archive || archive->find({"ids"}).empty()) return count_ids(samples);
  const auto ids = archive->read("ids");
  refuse_other_count(ids.name, ids, samples.size());
  samples.ids = data::npy_texts(ids, problems);
  samples.own_ids = true;
}

/// From an npy, or from the array y of an npz.
data::NpyArray read_labels(const std::filesystem::path& file) {
  return is_archive(file) ? read_required(NpzFile(file), label_names, file.string()) : data::read_npy(file);
}

}  // namespace

Samples read_npz_inputs(const std::filesystem::path& data, ReadingNotes& notes) {
  Samples samples;
  samples.file = data.string();
  data::Problems problems(samples.file);
  std::unique_ptr<NpzFile> archive;
  if (is_archive(data)) archive = std::make_unique<NpzFile>(data);
  const auto x = archive ? read_required(*archive, input_names, samples.file) : data::read_npy(data);
  read_inputs(x, samples, problems, notes);
  refuse_too_many(x.shape[0], samples.file);
  samples.labels.assign(static_cast<std::size_t>(x.shape[0]), "-");
  take_ids(archive.get(), samples, problems);
  problems.refuse_if_any("Fix these samples or take them out");
  return samples;
}

Samples read_npz_samples(const std::filesystem::path& data, const std::filesystem::path& labels, ReadingNotes& notes) {
  Samples samples;
  samples.file = data.string();
  data::Problems problems(samples.file);
  std::unique_ptr<NpzFile> archive;
  if (is_archive(data)) archive = std::make_unique<NpzFile>(data);
  if (!archive && labels.empty()) {
    throw Error(ErrorKind::data, samples.file, "an npy file holds no labels",
                "Give them by --labels FILE, or save an npz");
  }
  const auto x = archive ? read_required(*archive, input_names, samples.file) : data::read_npy(data);
  const auto y = labels.empty() ? read_required(*archive, label_names, samples.file) : read_labels(labels);
  read_inputs(x, samples, problems, notes);
  refuse_too_many(x.shape[0], samples.file);
  const auto count = static_cast<std::size_t>(x.shape[0]);
  refuse_other_count(y.name, y, count);
  samples.labels = data::npy_texts(y, problems);
  samples.trusted.assign(count, false);
  if (archive && !archive->find({"trusted"}).empty()) {
    const auto trusted = archive->read("trusted");
    refuse_other_count(trusted.name, trusted, count);
    samples.trusted = read_flags(trusted, problems);
    samples.marked = true;
  }
  take_ids(archive.get(), samples, problems);
  find_bad_labels_and_ids(samples, problems);
  problems.refuse_if_any("Fix these samples or take them out");
  return samples;
}

void mark_by_array(Samples& samples, const std::filesystem::path& file) {
  data::Problems problems(file.string());
  const auto array = data::read_npy(file);
  refuse_other_count(file.string(), array, samples.size());
  const auto flags = read_flags(array, problems);
  problems.refuse_if_any("Save booleans, one per sample");
  for (std::size_t i = 0; i < flags.size(); ++i) samples.trusted[i] = samples.trusted[i] || flags[i];
}

}  // namespace moblo::lab::readers
