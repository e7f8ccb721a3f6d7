#include "lab/readers/class_probabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "lab/data/csv.hpp"
#include "lab/data/problems.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

constexpr double largest_gap = 0.01;  ///< of a row's sum from 1: what rounding to three digits does to many classes

struct ProbabilityColumns {
  std::size_t id = 0;
  std::vector<std::size_t> classes;
};

ProbabilityColumns probability_columns(const std::vector<std::string>& header, const data::NoisyDataset& dataset,
                                       const std::string& file) {
  ProbabilityColumns columns;
  data::Problems problems(file);
  const auto place = [&](const std::string& name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) problems.add(fmt::format("row 1: there is no column {}", data::in_quotes(name)));
    return static_cast<std::size_t>(found - header.begin());
  };
  columns.id = place("id");
  for (const auto& name : dataset.classes) columns.classes.push_back(place(name));
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i == columns.id || std::find(columns.classes.begin(), columns.classes.end(), i) != columns.classes.end()) {
      continue;
    }
    problems.add(fmt::format("row 1: {} is not a class of the data", data::in_quotes(header[i])));
  }
  problems.refuse_if_any("Give a column id and one column per class: " + data::some_of(dataset.classes));
  return columns;
}

bool parse_probability(std::string_view cell, double& value) {
  const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return problem == std::errc() && end == cell.data() + cell.size() && value >= 0 && value <= 1;
}

/// What is wrong with a row, or nothing; its chances go to `into`.
std::string read_row(const std::vector<std::string_view>& cells, const ProbabilityColumns& columns, float* into) {
  double sum = 0;
  std::vector<double> values;
  for (const auto column : columns.classes) {
    const auto cell = data::trimmed(cells[column]);
    double value = 0;
    if (!parse_probability(cell, value)) {
      return fmt::format("column {}: {} is not a number between 0 and 1", column + 1, data::in_quotes(cell));
    }
    values.push_back(value);
    sum += value;
  }
  if (!(std::abs(sum - 1) <= largest_gap)) return fmt::format("the sum of the probabilities is {:.4g}, not 1", sum);
  for (const double value : values) *into++ = static_cast<float>(value / sum);
  return "";
}

void refuse_missing(const std::vector<bool>& seen, const data::NoisyDataset& dataset, data::Problems& problems) {
  for (std::size_t j = 0; j < seen.size(); ++j) {
    if (!seen[j]) problems.add(fmt::format("the sample {} is missing", data::in_quotes(dataset.ids[j])));
  }
  problems.refuse_if_any("Give one row per sample, trusted ones too, by models that have not seen its label");
}

}  // namespace

std::vector<float> read_class_probabilities(const std::filesystem::path& file, const data::NoisyDataset& dataset) {
  const data::TextFile content(file);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  const auto header = data::read_header(records, file.string());
  const auto columns = probability_columns(header, dataset, file.string());
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t j = 0; j < dataset.ids.size(); ++j) index.emplace(dataset.ids[j], j);
  std::vector<float> chances(dataset.ids.size() * dataset.classes.size());
  std::vector<bool> seen(dataset.ids.size());
  data::Problems problems(file.string());
  std::vector<std::string_view> cells;
  while (records.next(cells)) {
    const auto complain = [&](const std::string& fault) {
      problems.add(fmt::format("row {}: {}", records.row(), fault));
    };
    if (cells.size() == 1 && data::trimmed(cells[0]).empty()) continue;
    if (!records.fault().empty() || cells.size() != header.size()) {
      complain(fmt::format("{} cells, the header has {}", cells.size(), header.size()));
      continue;
    }
    const auto id = data::trimmed(cells[columns.id]);
    const auto found = index.find(std::string(id));
    if (found == index.end()) {
      complain(fmt::format("{} is not an id of the data", data::in_quotes(id)));
    } else if (seen[found->second]) {
      complain(fmt::format("{} stands there already", data::in_quotes(id)));
    } else {
      seen[found->second] = true;
      const auto fault = read_row(cells, columns, chances.data() + found->second * dataset.classes.size());
      if (!fault.empty()) complain(fault);
    }
  }
  refuse_missing(seen, dataset, problems);
  return chances;
}

}  // namespace moblo::lab::readers
