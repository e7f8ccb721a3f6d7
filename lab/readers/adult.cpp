#include "lab/readers/adult.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "lab/data/csv.hpp"
#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

struct NumberColumn {
  const char* name;
  bool amount;  ///< of dollars, spread over five orders of magnitude
};
constexpr NumberColumn number_columns[] = {{"age", false},
                                           {"education_num", false},
                                           {"capital_gain", true},
                                           {"capital_loss", true},
                                           {"hours_per_week", false}};
constexpr const char* category_columns[] = {"workclass", "marital_status", "occupation", "relationship", "race",
                                            "sex",       "native_country"};

/// All rows, by the name of the column.
using Columns = std::map<std::string, std::vector<std::string>>;

Columns read_columns(const std::filesystem::path& file) {
  const data::TextFile text(file);
  data::CsvText records(text.text(), ',');
  const auto header = data::read_header(records, file.string());
  Columns columns;
  data::Problems problems(file.string());
  std::vector<std::string_view> cells;
  while (records.next(cells)) {
    if (cells.size() == 1 && data::trimmed(cells[0]).empty()) continue;
    if (cells.size() != header.size()) {
      problems.add(fmt::format("row {}: {} cells for {} columns", records.row(), cells.size(), header.size()));
      continue;
    }
    for (std::size_t i = 0; i < header.size(); ++i) columns[header[i]].emplace_back(data::trimmed(cells[i]));
  }
  problems.refuse_if_any("Give every row one cell per column");
  return columns;
}

const std::vector<std::string>& column(const Columns& columns, const std::string& name, const std::string& file) {
  const auto found = columns.find(name);
  if (found != columns.end()) return found->second;
  throw Error(ErrorKind::data, file, fmt::format("has no column \"{}\"", name),
              "`moblo data where fairness` says how it is laid out");
}

/// Which rows have `value`; `other` is the only other value that is allowed.
std::vector<bool> flags_of(const std::vector<std::string>& cells, const std::string& value,
                           const std::optional<std::string>& other, const std::string& file) {
  std::vector<bool> flags;
  data::Problems problems(file);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    flags.push_back(cells[i] == value);
    if (other && !flags.back() && cells[i] != *other) {
      problems.add(
          fmt::format("row {}: {} is neither \"{}\" nor \"{}\"", i + 2, data::in_quotes(cells[i]), value, *other));
    }
  }
  problems.refuse_if_any("Write one of the two");
  return flags;
}

std::vector<double> standardised(const std::vector<std::string>& cells, const NumberColumn& which,
                                 const std::vector<bool>& test, const std::string& file) {
  std::vector<double> values;
  data::Problems problems(file);
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double value = 0;
    if (!parse_double(cells[i], value) || (which.amount && value < 0)) {
      problems.add(fmt::format("row {}, {}: {} is not such a number", i + 2, which.name, data::in_quotes(cells[i])));
    }
    values.push_back(which.amount ? std::log1p(value) : value);
    if (test[i]) continue;
    sum += values.back();
    squares += values.back() * values.back();
    ++count;
  }
  problems.refuse_if_any("Fix these cells");
  const double mean = sum / count, deviation = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
  for (auto& value : values) value = (value - mean) / deviation;
  return values;
}

/// One column per category of the training part; a category of the test part alone is none of them.
void add_categories(const std::string& name, const std::vector<std::string>& cells, const std::vector<bool>& test,
                    People& people, std::vector<std::vector<double>>& columns) {
  std::set<std::string> known;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!test[i]) known.insert(cells[i]);
  }
  for (const auto& category : known) {
    people.features.push_back(fmt::format("{} = {}", name, category));
    columns.emplace_back();
    for (const auto& cell : cells) columns.back().push_back(cell == category ? 1 : 0);
  }
}

}  // namespace

People read_adult(const std::filesystem::path& folder, const std::string& protected_column) {
  const auto path = data::find_file(folder, "adult.csv").value_or(folder / "adult.csv");
  const auto file = path.string();
  const auto table = read_columns(path);
  const auto cells = [&](const std::string& name) -> const auto& {
    return column(table, name, file);
  };

  People people;
  people.test = flags_of(cells("split"), "test", "train", file);
  if (std::all_of(people.test.begin(), people.test.end(), [](bool test) { return test; })) {
    throw Error(ErrorKind::data, file, "has no row of the training part", "Write train in the column split");
  }
  for (const bool high : flags_of(cells("income"), ">50K", "<=50K", file)) people.income.push_back(high ? 1 : 0);
  const auto larger = protected_column == "sex" ? "Male" : "White";
  for (const bool in : flags_of(cells(protected_column), larger, std::nullopt, file))
    people.group.push_back(in ? 1 : 0);

  std::vector<std::vector<double>> columns;
  for (const auto& which : number_columns) {
    people.features.emplace_back(which.name);
    columns.push_back(standardised(cells(which.name), which, people.test, file));
  }
  for (const std::string name : category_columns) {
    if (name != protected_column) add_categories(name, cells(name), people.test, people, columns);
  }
  for (std::size_t row = 0; row < people.income.size(); ++row) {
    for (const auto& values : columns) people.inputs.push_back(static_cast<float>(values[row]));
  }
  people.provenance = {{"file", "adult.csv"}, {"sha256", data::sha256(data::TextFile(path).text())}};
  return people;
}

}  // namespace moblo::lab::readers
