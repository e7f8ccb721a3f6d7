#include "lab/readers/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "lab/data/file_bytes.hpp"
#include "lab/readers/table_encoding.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::uint64_t largest_list = 1ULL << 28;

[[noreturn]] void refuse(const std::string& file, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::data, file, rule, next);
}

using IndexOfId = std::unordered_map<std::string_view, std::size_t>;

IndexOfId index_ids(const Samples& samples) {
  IndexOfId index(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) index.emplace(samples.ids[i], i);
  return index;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const auto size : shape) sizes.push_back(std::to_string(size));
  return base::join(sizes, " x ") + (shape.size() == 1 ? " features" : " pixels");
}

bool parse_whole(const std::string& text, std::int64_t& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

/// By value where all are whole numbers (2 before 10), by their bytes otherwise.
std::vector<std::string> ordered_classes(const Samples& samples) {
  std::set<std::string> names(samples.labels.begin(), samples.labels.end());
  names.insert(samples.given.begin(), samples.given.end());
  names.erase("");
  std::vector<std::string> classes(names.begin(), names.end());
  std::map<std::string, std::int64_t> value;
  for (const auto& name : classes) {
    if (!parse_whole(name, value[name])) return classes;
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [&](const auto& a, const auto& b) { return value.at(a) < value.at(b); });
  return classes;
}

void refuse_too_little(const Samples& samples, const std::vector<std::string>& classes) {
  const auto size = static_cast<std::int64_t>(samples.size());
  if (size < fewest_samples) {
    refuse(samples.file, fmt::format("{} samples are too few, {} are needed", size, fewest_samples),
           "Give more samples");
  }
  if (classes.size() < 2) {
    refuse(samples.file,
           fmt::format("all labels are {}; there must be two classes at least", data::in_quotes(classes[0])),
           "Check which column or file holds the labels");
  }
  if (2 * static_cast<std::int64_t>(classes.size()) > size) {
    refuse(samples.file, fmt::format("{} samples have {} different labels: too many for classes", size, classes.size()),
           "Check which column or file holds the labels");
  }
}

void refuse_all_trusted(const Samples& samples) {
  if (std::find(samples.trusted.begin(), samples.trusted.end(), false) != samples.trusted.end()) return;
  refuse(samples.file, "every label is trusted, so that nothing is left to be judged", "Mark the checked samples only");
}

void note_untrusted_classes(const data::NoisyDataset& dataset, const std::vector<std::int64_t>& trusted_of_class,
                            ReadingNotes& notes) {
  std::vector<std::string> lacking;
  if (std::all_of(trusted_of_class.begin(), trusted_of_class.end(), [](auto n) { return n == 0; })) {
    notes.push_back("no sample is trusted: how labels go wrong is an assumption, and nothing says how well it holds");
    return;
  }
  for (std::size_t i = 0; i < dataset.classes.size(); ++i) {
    if (trusted_of_class[i] == 0) lacking.push_back(dataset.classes[i]);
  }
  if (lacking.empty()) return;
  notes.push_back(fmt::format("no trusted sample is of class {}: what is said of it rests on the given labels alone",
                              data::some_of(lacking)));
}

using NumberOfClass = std::unordered_map<std::string_view, std::int64_t>;

NumberOfClass numbers_of(const std::vector<std::string>& classes) {
  NumberOfClass number;
  for (std::size_t i = 0; i < classes.size(); ++i) number[classes[i]] = static_cast<std::int64_t>(i);
  return number;
}

void number_given(const Samples& samples, data::NoisyDataset& dataset) {
  const auto number = numbers_of(dataset.classes);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& given = given_label(samples, i);
    dataset.given.push_back(given.empty() ? -1 : number.at(given));
  }
}

void number_labels(const Samples& samples, data::NoisyDataset& dataset, data::Problems& problems) {
  const auto number = numbers_of(dataset.classes);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto found = number.find(samples.labels[i]);
    if (found == number.end()) {
      problems.add(
          fmt::format("{}: label {} is not one of its classes", samples.place(i), data::in_quotes(samples.labels[i])));
    } else {
      dataset.labels.push_back(found->second);
    }
  }
}

void move_samples(Samples& samples, data::NoisyDataset& dataset) {
  dataset.ids = std::move(samples.ids);
  dataset.shape = std::move(samples.shape);
  dataset.inputs = std::move(samples.inputs);
  dataset.trusted = std::move(samples.trusted);
  dataset.picked = std::move(samples.picked);
  dataset.picked.resize(dataset.trusted.size());
  dataset.image = samples.image;
  dataset.pictures = std::move(samples.pictures);
  dataset.features = std::move(samples.made_by);
  if (!samples.encoding) return;
  dataset.encoding = samples.encoding->to_json();
  dataset.columns = summary_json(samples.encoding->summary());
}

}  // namespace

std::size_t Samples::width() const {
  return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

std::string Samples::place(std::size_t sample) const {
  return rows.empty() ? fmt::format("sample {}", sample) : fmt::format("row {}", rows[sample]);
}

void refuse_other_shape(const Samples& samples, const std::vector<std::int64_t>& shape, const std::string& of) {
  if (samples.shape == shape) return;
  refuse(samples.file, fmt::format("has samples of {}, {} has {}", shape_text(samples.shape), of, shape_text(shape)),
         "Give samples of the same shape");
}

void refuse_too_many(std::int64_t samples, const std::string& file) {
  if (samples <= most_samples) return;
  refuse(file, fmt::format("holds more than {} samples, the most that are read of one file", most_samples),
         "Divide it");
}

void count_ids(Samples& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) samples.ids.push_back(std::to_string(i));
}

void find_bad_labels_and_ids(const Samples& samples, data::Problems& problems) {
  IndexOfId index(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.labels[i].empty()) problems.add(fmt::format("{}: the label is missing", samples.place(i)));
    if (samples.ids[i].empty()) {
      problems.add(fmt::format("{}: the id is missing", samples.place(i)));
      continue;
    }
    const auto [earlier, fresh] = index.emplace(samples.ids[i], i);
    if (fresh) continue;
    problems.add(fmt::format("{}: id {} is that of {} already", samples.place(i), data::in_quotes(samples.ids[i]),
                             samples.place(earlier->second)));
  }
}

void mark_listed(Samples& samples, const std::filesystem::path& list) {
  const data::Bytes bytes = data::read_file_bytes(list, largest_list);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const IndexOfId index = index_ids(samples);
  data::Problems problems(list.string());
  for (std::int64_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view id = data::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (id.empty()) continue;
    const auto found = index.find(id);
    if (found == index.end()) {
      problems.add(fmt::format("line {}: {} is not an id of {}", line, data::in_quotes(id), samples.file));
    } else {
      samples.trusted[found->second] = true;
    }
  }
  const std::string example = samples.size() > 0 ? fmt::format(", e.g. {}", data::in_quotes(samples.ids[0])) : "";
  problems.refuse_if_any(fmt::format("Write one id per line{}", example));
}

const std::string& given_label(const Samples& samples, std::size_t sample) {
  static const std::string unknown;
  if (!samples.trusted[sample]) return samples.labels[sample];
  return sample < samples.given.size() ? samples.given[sample] : unknown;
}

void set_checked_label(Samples& samples, std::size_t sample, const std::string& checked) {
  const std::string given = given_label(samples, sample);
  samples.given.resize(samples.size());
  samples.given[sample] = given;
  samples.labels[sample] = checked;
  samples.trusted[sample] = true;
}

void add_trusted(Samples& samples, Samples trusted, ReadingNotes& notes) {
  refuse_other_shape(trusted, samples.shape, samples.file);
  const bool same_ids = samples.own_ids && trusted.own_ids;
  samples.ids.reserve(samples.size() + trusted.size());  // the index below looks into these strings
  const IndexOfId index = same_ids ? index_ids(samples) : IndexOfId();
  const std::size_t width = samples.width();
  std::int64_t replaced = 0;
  samples.rows.clear();
  for (std::size_t i = 0; i < trusted.size(); ++i) {
    const auto begin = trusted.inputs.begin() + static_cast<std::ptrdiff_t>(i * width);
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    const bool known = !trusted.marked || trusted.trusted[i];
    if (const auto found = index.find(trusted.ids[i]); found != index.end()) {
      std::copy(begin, end, samples.inputs.begin() + static_cast<std::ptrdiff_t>(found->second * width));
      if (known) {
        set_checked_label(samples, found->second, trusted.labels[i]);
      } else {
        samples.labels[found->second] = trusted.labels[i];
        samples.trusted[found->second] = false;
      }
      ++replaced;
      continue;
    }
    samples.inputs.insert(samples.inputs.end(), begin, end);
    samples.ids.push_back(same_ids ? trusted.ids[i] : "trusted:" + trusted.ids[i]);
    samples.labels.push_back(trusted.labels[i]);
    samples.trusted.push_back(known);
    samples.given.resize(samples.size());
    if (i < trusted.given.size()) samples.given.back() = trusted.given[i];
  }
  if (replaced > 0) {
    notes.push_back(
        fmt::format("{} samples of {} replace those of the same id in {}", replaced, trusted.file, samples.file));
  }
}

data::NoisyDataset finish_noisy(const std::string& name, Samples samples, ReadingNotes& notes) {
  data::NoisyDataset dataset;
  dataset.name = name;
  if (samples.size() > 0) dataset.classes = ordered_classes(samples);
  refuse_too_little(samples, dataset.classes);
  data::Problems none(samples.file);
  number_labels(samples, dataset, none);
  number_given(samples, dataset);
  std::vector<std::int64_t> trusted_of_class(dataset.classes.size(), 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.trusted[i]) ++trusted_of_class[static_cast<std::size_t>(dataset.labels[i])];
  }
  refuse_all_trusted(samples);
  note_untrusted_classes(dataset, trusted_of_class, notes);
  move_samples(samples, dataset);
  return dataset;
}

data::NoisyDataset finish_test(Samples samples, const data::NoisyDataset& dataset) {
  if (samples.size() == 0) refuse(samples.file, "holds no sample", "Give a test set with samples");
  refuse_other_shape(samples, dataset.shape, "the dataset");
  data::NoisyDataset test;
  test.name = dataset.name;
  test.classes = dataset.classes;
  data::Problems problems(samples.file);
  number_labels(samples, test, problems);
  problems.refuse_if_any("The classes are " + data::some_of(dataset.classes) +
                         ". Fix the labels, or take the samples out");
  samples.trusted.assign(samples.size(), true);
  move_samples(samples, test);
  test.image = dataset.image;
  return test;
}

}  // namespace moblo::lab::readers
