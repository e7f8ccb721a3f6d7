#include "moblo/records/sample_outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

constexpr const char* table_name = "sample_weights.csv";
constexpr const char* picture_folder = "suspects";
constexpr std::string_view first_line = "sample,weight,given,predicted,wrong,dataset";
constexpr std::uintmax_t largest_picture = 1 << 20;
constexpr std::size_t most_pictures = 200;

std::string rows_of(const SampleOutcomes& outcomes) {
  std::string text;
  for (std::size_t i = 0; i < outcomes.weights.size(); ++i) {
    const char* wrong = outcomes.wrong.empty() ? "" : outcomes.wrong[i] ? "1" : "0";
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", i, outcomes.weights[i], outcomes.given[i],
                   outcomes.predicted[i], wrong, outcomes.dataset);
  }
  return text;
}

std::string picture_name(const std::string& dataset, std::int64_t sample) {
  return fmt::format("{}-{}.png", dataset, sample);
}

/// The fields of one line; the dataset stands last and may hold anything but a line's end.
struct Row {
  std::int64_t sample = 0, given = 0, predicted = 0, wrong = -1;
  double weight = 0;
  std::string dataset;
};

template <class Number>
bool take(std::string_view& rest, Number& value) {
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (failure != std::errc() || end == rest.data() + rest.size() || *end != ',') return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return true;
}

bool parse(std::string_view rest, Row& row) {
  if (!take(rest, row.sample) || !take(rest, row.weight) || !take(rest, row.given) || !take(rest, row.predicted)) {
    return false;
  }
  if (rest.starts_with(',')) {
    rest.remove_prefix(1);
  } else if (!take(rest, row.wrong) || row.wrong < 0 || row.wrong > 1) {
    return false;
  }
  row.dataset = rest;
  return row.weight >= 0 && row.weight <= 1;
}

/// Rows of a dataset stand together and count from 0.
bool add(const Row& row, std::vector<SampleOutcomes>& all) {
  if (all.empty() || all.back().dataset != row.dataset) all.push_back({row.dataset, {}, {}, {}, {}, {}});
  auto& outcomes = all.back();
  const bool knows = row.wrong >= 0;
  if (row.sample != static_cast<std::int64_t>(outcomes.weights.size())) return false;
  if (row.sample > 0 && knows == outcomes.wrong.empty()) return false;
  outcomes.weights.push_back(row.weight);
  outcomes.given.push_back(row.given);
  outcomes.predicted.push_back(row.predicted);
  if (knows) outcomes.wrong.push_back(row.wrong == 1);
  return true;
}

[[noreturn]] void refuse(const fs::path& file, std::size_t line, const std::string& rule) {
  throw Error(ErrorKind::data, fmt::format("{}:{}", file.string(), line), rule, "Run it again, or remove the file");
}

std::vector<SampleOutcomes> read_table(const fs::path& file) {
  const auto text = read_text(file);
  std::vector<SampleOutcomes> all;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (number == 1 && line != first_line) refuse(file, 1, fmt::format("should read {}", first_line));
    Row row;
    if (number > 1 && (!parse(line, row) || !add(row, all))) refuse(file, number, "is not the row of the next sample");
  }
  return all;
}

/// Names are looked up, never built: whatever else lies in the folder, or what a dataset may be called, is left alone.
void read_pictures(const fs::path& folder, SampleOutcomes& outcomes) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const auto name = entry.path().filename().string();
    const auto prefix = outcomes.dataset + "-";
    std::error_code ignored;
    if (!name.starts_with(prefix) || !entry.is_regular_file(ignored) || entry.file_size(ignored) > largest_picture) {
      continue;
    }
    std::int64_t sample = -1;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), sample);
    if (sample < 0 || sample >= static_cast<std::int64_t>(outcomes.weights.size())) continue;
    if (name != picture_name(outcomes.dataset, sample) || outcomes.pictures.size() == most_pictures) continue;
    outcomes.pictures.push_back({sample, read_text(entry.path())});
  }
  std::sort(outcomes.pictures.begin(), outcomes.pictures.end(), [&](const auto& a, const auto& b) {
    const auto weight = [&](const auto& picture) { return outcomes.weights[static_cast<std::size_t>(picture.sample)]; };
    return std::pair(weight(a), a.sample) < std::pair(weight(b), b.sample);
  });
}

}  // namespace

void write_sample_outcomes(const fs::path& folder, const std::vector<SampleOutcomes>& all) {
  std::string text(first_line);
  text += "\n";
  for (const auto& outcomes : all) text += rows_of(outcomes);
  drop_sample_outcomes(folder);
  for (const auto& outcomes : all) {
    for (const auto& picture : outcomes.pictures) {
      std::error_code failure;
      fs::create_directories(folder / picture_folder, failure);
      if (failure) throw io_error(folder / picture_folder, "cannot be created", failure.value());
      write_text_atomically(folder / picture_folder / picture_name(outcomes.dataset, picture.sample), picture.png);
    }
  }
  write_text_atomically(folder / table_name, text);
}

std::vector<SampleOutcomes> read_sample_outcomes(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / table_name, ignored)) return {};
  auto all = read_table(folder / table_name);
  for (auto& outcomes : all) read_pictures(folder / picture_folder, outcomes);
  return all;
}

Digests digests_of_sample_outcomes(const fs::path& folder) {
  Digests all;
  std::error_code failure;
  if (!fs::exists(folder / table_name, failure)) return all;
  all[table_name] = digest_of(folder / table_name);
  for (fs::directory_iterator entry(folder / picture_folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    all[(fs::path(picture_folder) / entry->path().filename()).string()] = digest_of(entry->path());
  }
  return all;
}

void drop_sample_outcomes(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / table_name, ignored);
  fs::remove_all(folder / picture_folder, ignored);
}

}  // namespace moblo::records
