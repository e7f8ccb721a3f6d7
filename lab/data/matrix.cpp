#include "lab/data/matrix.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lab/data/csv.hpp"
#include "lab/data/npy.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::data {
namespace {

/// Rows come one by one; the first says how long the others have to be.
class RowCollector {
 public:
  explicit RowCollector(const std::string& file) : problems_(file) {}

  bool begin_row(std::size_t length, std::int64_t place) {
    place_ = place;
    column_ = 0;
    const auto columns = static_cast<std::int64_t>(length);
    if (matrix_.rows++ == 0) {
      matrix_.columns = columns;
      first_place_ = place;
    }
    if (columns == matrix_.columns) return true;
    problems_.add(fmt::format("row {}: {} values, row {} has {}", place, columns, first_place_, matrix_.columns));
    return false;
  }

  void add(double value, std::string_view text, const char* wrong) {
    ++column_;
    if (!wrong && !std::isfinite(value)) wrong = "is not finite";
    if (wrong) problems_.add(fmt::format("row {}, column {}: {} {}", place_, column_, in_quotes(text), wrong));
    matrix_.values.push_back(value);
  }

  void add_problem(std::string problem) { problems_.add(std::move(problem)); }

  NumberMatrix finish() {
    problems_.refuse_if_any("Write finite numbers alone, as many in every row, and no header");
    return std::move(matrix_);
  }

 private:
  NumberMatrix matrix_;
  Problems problems_;
  std::int64_t place_ = 0, first_place_ = 0, column_ = 0;
};

void add_cell(RowCollector& rows, std::string_view cell) {
  const std::string_view text = trimmed(cell);
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  const char* wrong = text.empty()                                         ? "is empty"
                      : problem == std::errc::result_out_of_range && whole ? "is beyond the range of double precision"
                      : problem != std::errc() || !whole                   ? "is not a number"
                                                                           : nullptr;
  rows.add(value, text, wrong);
}

NumberMatrix read_table(const std::filesystem::path& file) {
  const TextFile content(file);
  CsvText records(content.text(), separator_of(content.text()));
  RowCollector rows(file.string());
  std::vector<std::string_view> cells;
  while (records.next(cells)) {
    if (!records.fault().empty()) {
      rows.add_problem(fmt::format("row {}, {}", records.row(), records.fault()));
      continue;
    }
    if (cells.size() == 1 && trimmed(cells[0]).empty()) continue;
    if (!rows.begin_row(cells.size(), records.row())) continue;
    for (const auto cell : cells) add_cell(rows, cell);
  }
  return rows.finish();
}

NumberMatrix read_json_lists(const std::filesystem::path& file) {
  const TextFile content(file);
  const Json lists = base::parse_json(content.text());
  if (!lists.is_array() || lists.empty() || !lists[0].is_array() || lists[0].empty()) {
    throw Error(ErrorKind::data, file.string(), "is not a list of lists of numbers in JSON",
                "Write for example [[1, 0.5], [-2, 3]]");
  }
  RowCollector rows(file.string());
  std::int64_t place = 0;
  for (const auto& list : lists) {
    ++place;
    if (!list.is_array()) {
      rows.add_problem(fmt::format("row {}: {} is not a list", place, in_quotes(list.dump())));
      continue;
    }
    if (!rows.begin_row(list.size(), place)) continue;
    for (const auto& item : list) {
      rows.add(item.is_number() ? item.get<double>() : 0, item.dump(), item.is_number() ? nullptr : "is not a number");
    }
  }
  return rows.finish();
}

NumberMatrix read_array(const std::filesystem::path& file) {
  const NpyArray array = read_npy(file);
  if (array.shape.size() != 2) {
    throw Error(ErrorKind::data, file.string(),
                fmt::format("is an array of {} dimensions, two are needed", array.shape.size()),
                "Save a matrix, e.g. with .reshape(rows, -1)");
  }
  if (array.kind != 'f' && array.kind != 'i' && array.kind != 'u') {
    throw Error(ErrorKind::data, file.string(), "holds no numbers", "Convert it, e.g. with .astype('float64')");
  }
  Problems problems(file.string());
  NumberMatrix matrix{array.shape[0], array.shape[1], npy_doubles(array, problems)};
  problems.refuse_if_any("Save finite numbers");
  return matrix;
}

}  // namespace

NumberMatrix read_matrix(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".npy") return read_array(file);
  if (extension == ".json") return read_json_lists(file);
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return read_table(file);
  throw Error(ErrorKind::data, file.string(), "is of no known kind", "Give it the ending .npy, .csv or .json");
}

}  // namespace moblo::lab::data
