#include "lab/readers/csv_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "lab/data/csv.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

using Column = std::optional<std::size_t>;

struct Layout {
  std::vector<std::string> header;
  std::size_t label = 0;
  Column id, trusted, checked;
  std::vector<std::size_t> features;

  std::vector<std::string> feature_names() const {
    std::vector<std::string> names;
    for (const auto column : features) names.push_back(header[column]);
    return names;
  }
};

Column find(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? Column() : Column(static_cast<std::size_t>(found - header.begin()));
}

std::size_t require(const std::vector<std::string>& header, const std::string& name, const std::string& flag,
                    const std::string& file) {
  if (const Column column = find(header, name)) return *column;
  throw Error(ErrorKind::data, file,
              fmt::format("there is no column {}; the header has {}", data::in_quotes(name), data::some_of(header)),
              fmt::format("Name the column: {} COLUMN", flag));
}

/// A column of which the default name is optional and a name of the user's is not.
Column find_role(const std::vector<std::string>& header, const std::string& given, const std::string& usual,
                 const std::string& flag, const std::string& file) {
  return given.empty() ? find(header, usual) : Column(require(header, given, flag, file));
}

Layout lay_out(std::vector<std::string> header, const data::NoisySource& source, const std::string& file) {
  Layout layout;
  layout.label = require(header, source.label_column.empty() ? "label" : source.label_column, "--label-column", file);
  layout.id = find_role(header, source.id_column, "id", "--id-column", file);
  if (!layout.id && header[0].empty()) layout.id = 0;
  layout.trusted = find_role(header, source.trusted_column, "trusted", "--trusted-column", file);
  layout.checked = find_role(header, source.checked_column, "checked_label", "--checked-column", file);
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto& ignored = source.ignored_columns;
    const bool role = i == layout.label || Column(i) == layout.id || Column(i) == layout.trusted ||
                      Column(i) == layout.checked;
    if (!role && std::find(ignored.begin(), ignored.end(), header[i]) == ignored.end()) layout.features.push_back(i);
  }
  if (layout.features.empty()) {
    throw Error(ErrorKind::data, file,
                fmt::format("the header {} leaves no column for features", data::some_of(header)),
                "Add numeric columns; they are separated by comma, semicolon or tab");
  }
  for (const auto& name : source.ignored_columns) require(header, name, "--ignore", file);
  layout.header = std::move(header);
  return layout;
}

/// A further file of the same dataset: it may lack the columns that are optional or ignored.
data::NoisySource relaxed(data::NoisySource source, const std::vector<std::string>& header) {
  std::erase_if(source.ignored_columns, [&](const auto& name) { return !find(header, name); });
  if (!find(header, source.id_column)) source.id_column.clear();
  if (!find(header, source.trusted_column)) source.trusted_column.clear();
  if (!find(header, source.checked_column)) source.checked_column.clear();
  return source;
}

void order_features(Layout& layout, const std::vector<std::string>& wanted, const std::string& file) {
  data::Problems problems(file);
  std::vector<std::size_t> ordered;
  for (const auto& name : wanted) {
    const Column column = find(layout.header, name);
    if (column && std::find(layout.features.begin(), layout.features.end(), *column) != layout.features.end()) {
      ordered.push_back(*column);
    } else {
      problems.add(fmt::format("row 1: column {} of the dataset is missing", data::in_quotes(name)));
    }
  }
  for (const auto column : layout.features) {
    if (std::find(wanted.begin(), wanted.end(), layout.header[column]) == wanted.end()) {
      problems.add(fmt::format("row 1: column {} is none of the dataset", data::in_quotes(layout.header[column])));
    }
  }
  problems.refuse_if_any("Give both files the same feature columns, in any order");
  layout.features = std::move(ordered);
}

/// What is wrong with a cell that is no finite float, or nothing. Values too small for a float are zero.
const char* parse_number(std::string_view cell, float& value) {
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin == end) return "is empty";
  if (*begin == '+') ++begin;
  auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem == std::errc::result_out_of_range && stop == end) {
    double wide = 0;
    problem = std::from_chars(begin, end, wide).ec;
    const bool tiny =
        problem == std::errc() ? std::abs(wide) < 1 : cell.find("e-") != cell.npos || cell.find("E-") != cell.npos;
    if (!tiny) return "is beyond the range of single precision";
    value = static_cast<float>(wide);
    return nullptr;
  }
  if (problem != std::errc() || stop != end) return "is not a number";
  return std::isfinite(value) ? nullptr : "is not finite";
}

class RowReader {
 public:
  RowReader(const Layout& layout, Samples& samples, data::Problems& problems)
      : layout_(layout), samples_(samples), problems_(problems) {}

  void read(const std::vector<std::string_view>& cells, std::int64_t row, const std::string& fault) {
    row_ = row;
    if (!fault.empty()) return problems_.add(fmt::format("row {}, {}", row, fault));
    if (cells.size() != layout_.header.size()) {
      return problems_.add(
          fmt::format("row {}: {} cells, the header has {}", row, cells.size(), layout_.header.size()));
    }
    for (const auto column : layout_.features) read_feature(column, cells[column]);
    samples_.rows.push_back(row);
    samples_.labels.emplace_back(data::trimmed(cells[layout_.label]));
    samples_.ids.emplace_back(layout_.id ? std::string(data::trimmed(cells[*layout_.id])) : std::to_string(row));
    samples_.trusted.push_back(layout_.trusted && read_trusted(cells[*layout_.trusted]));
    if (layout_.checked) take_checked(data::trimmed(cells[*layout_.checked]));
  }

 private:
  std::string cell_place(std::size_t column) const {
    return fmt::format("row {}, column {} {}", row_, column + 1, data::in_quotes(layout_.header[column]));
  }

  void read_feature(std::size_t column, std::string_view cell) {
    float value = 0;
    const std::string_view text = data::trimmed(cell);
    if (const char* wrong = parse_number(text, value)) {
      problems_.add(fmt::format("{}: {} {}", cell_place(column), data::in_quotes(text), wrong));
    }
    samples_.inputs.push_back(value);
  }

  /// The label beside it is what the sample was given, whether it is marked as trusted or not.
  void take_checked(std::string_view checked) {
    if (checked.empty()) return;
    samples_.trusted.back() = false;
    set_checked_label(samples_, samples_.size() - 1, std::string(checked));
  }

  bool read_trusted(std::string_view cell) {
    bool flag = false;
    if (!parse_flag(data::trimmed(cell), flag)) {
      problems_.add(fmt::format("{}: {} is none of 1, 0, true, false, yes, no", cell_place(*layout_.trusted),
                                data::in_quotes(data::trimmed(cell))));
    }
    return flag;
  }

  const Layout& layout_;
  Samples& samples_;
  data::Problems& problems_;
  std::int64_t row_ = 0;
};

bool blank(const std::vector<std::string_view>& cells) {
  return cells.size() == 1 && data::trimmed(cells[0]).empty();
}

}  // namespace

bool parse_flag(std::string_view text, bool& flag) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool yes = lower == "1" || lower == "true" || lower == "yes";
  if (!yes && lower != "0" && lower != "false" && lower != "no") return false;
  flag = yes;
  return true;
}

Samples read_csv_samples(const std::filesystem::path& file, const data::NoisySource& source,
                         const std::vector<std::string>& features) {
  const data::TextFile content(file);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  auto header = data::read_header(records, file.string());
  const data::NoisySource roles = features.empty() ? source : relaxed(source, header);
  Layout layout = lay_out(std::move(header), roles, file.string());
  if (!features.empty()) order_features(layout, features, file.string());

  Samples samples;
  samples.file = file.string();
  samples.own_ids = layout.id.has_value();
  samples.marked = layout.trusted || layout.checked;
  samples.features = layout.feature_names();
  samples.shape = {static_cast<std::int64_t>(layout.features.size())};
  data::Problems problems(file.string());
  RowReader reader(layout, samples, problems);
  std::vector<std::string_view> cells;
  while (records.next(cells)) {
    if (!blank(cells) || !records.fault().empty()) reader.read(cells, records.row(), records.fault());
    refuse_too_many(static_cast<std::int64_t>(samples.size()), samples.file);
  }
  find_bad_labels_and_ids(samples, problems);
  problems.refuse_if_any(
      "Fix these rows or take them out; a column that is not a feature is left out by --ignore COLUMN");
  if (samples.size() == 0) throw Error(ErrorKind::data, samples.file, "has a header and no row", "Give samples");
  return samples;
}

std::vector<std::string> read_csv_features(const std::filesystem::path& file, const data::NoisySource& source) {
  const data::TextFile content(file);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  return lay_out(data::read_header(records, file.string()), source, file.string()).feature_names();
}

}  // namespace moblo::lab::readers
