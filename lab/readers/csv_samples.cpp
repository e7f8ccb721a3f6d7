#include "lab/readers/csv_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lab/data/csv_file.hpp"
#include "lab/readers/table_encoding.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

using Names = std::vector<std::string>;

/// Which columns play a part; an empty name means none.
struct Roles {
  std::string label, id, trusted, checked;
  bool counted = false;  ///< no column holds ids; the rows are counted

  Names texts() const {
    Names names;
    for (const auto* name : {&label, &id, &trusted, &checked}) {
      const bool unnamed_id = name == &id && !counted;
      if (!name->empty() || unnamed_id) names.push_back(*name);
    }
    return names;
  }
};

std::string require(const Names& header, const std::string& name, const std::string& flag, const std::string& file) {
  if (is_in(header, name)) return name;
  throw Error(ErrorKind::data, file,
              fmt::format("there is no column {}; the header has {}", data::in_quotes(name), data::some_of(header)),
              fmt::format("Name the column: {} COLUMN", flag));
}

/// A column of which the default name is optional and a name of the user's is not, unless it was named for another
/// file.
std::string find_role(const Names& header, const std::string& given, const std::string& usual, const std::string& flag,
                      const std::string& file, bool further) {
  if (!given.empty() && (!further || is_in(header, given))) return require(header, given, flag, file);
  return given.empty() && is_in(header, usual) ? usual : "";
}

Roles roles_of(const Names& header, const data::NoisySource& source, const std::string& file, bool further,
               bool labelled) {
  Roles roles;
  if (labelled) {
    roles.label = require(header, source.label_column.empty() ? "label" : source.label_column, "--label-column", file);
    roles.trusted = find_role(header, source.trusted_column, "trusted", "--trusted-column", file, further);
    roles.checked = find_role(header, source.checked_column, "checked_label", "--checked-column", file, further);
  }
  roles.id = find_role(header, source.id_column, "id", "--id-column", file, further);
  roles.counted = roles.id.empty() && !header[0].empty();
  return roles;
}

struct ChoiceOfKind {
  std::string kind;
  Names ColumnChoices::*columns;
};

ColumnChoices choices_of(const data::NoisySource& source, const Names& header, const Roles& roles,
                         const std::string& file) {
  static const std::vector<ChoiceOfKind> kinds{
      {"number", &ColumnChoices::numbers},      {"amount", &ColumnChoices::amounts},
      {"category", &ColumnChoices::categories}, {"boolean", &ColumnChoices::booleans},
      {"date", &ColumnChoices::dates},          {"text", &ColumnChoices::texts},
      {"ignore", &ColumnChoices::left_out}};
  ColumnChoices choices;
  choices.recognise = true;
  choices.left_out = roles.texts();
  for (const auto& name : source.ignored_columns) {
    require(header, name, "--ignore", file);
    if (!is_in(choices.left_out, name)) choices.left_out.push_back(name);
  }
  for (const auto& [name, kind] : source.column_kinds) {
    require(header, name, "--columns", file);
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.kind == kind; });
    (choices.*found->columns).push_back(name);
  }
  if (std::all_of(header.begin(), header.end(), [&](const auto& name) { return is_in(choices.left_out, name); })) {
    throw Error(ErrorKind::data, file,
                fmt::format("the header {} leaves no column for features", data::some_of(header)),
                "Add further columns; they are separated by comma, semicolon or tab");
  }
  return choices;
}

TableReading first_reading(const ColumnChoices& choices, const Roles& roles) {
  TableReading reading;
  reading.numbers = true;
  reading.texts = roles.texts();
  for (const auto* list : {&choices.categories, &choices.booleans, &choices.dates, &choices.texts}) {
    reading.texts.insert(reading.texts.end(), list->begin(), list->end());
  }
  reading.number = choices.numbers;
  reading.number.insert(reading.number.end(), choices.amounts.begin(), choices.amounts.end());
  for (const auto& name : choices.left_out) {
    if (!is_in(reading.texts, name)) reading.left_out.push_back(name);
  }
  return reading;
}

void refuse_other_columns(const Names& header, const TableEncoding& known, const std::string& file) {
  data::Problems problems(file);
  for (const auto& code : known.columns()) {
    if (is_in(header, code.name)) continue;
    problems.add(fmt::format("row 1: column {} of the dataset is missing", data::in_quotes(code.name)));
  }
  problems.refuse_if_any("Give all columns of the dataset, in any order");
}

void note_unused(const Names& header, const TableEncoding& known, const data::NoisySource& source, const Roles& roles,
                 const std::string& file, ReadingNotes& notes) {
  Names unused;
  for (const auto& name : header) {
    const auto& columns = known.columns();
    const bool used =
        std::any_of(columns.begin(), columns.end(), [&](const ColumnCode& code) { return code.name == name; });
    if (used || is_in(roles.texts(), name) || is_in(known.dropped(), name) || is_in(source.ignored_columns, name)) {
      continue;
    }
    const auto& kinds = source.column_kinds;
    if (std::none_of(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == name; })) {
      unused.push_back(name);
    }
  }
  if (!unused.empty()) notes.push_back(fmt::format("{}: the model has no column {}", file, data::some_of(unused)));
}

/// Labels, ids and marks of the rows.
class RoleReader {
 public:
  RoleReader(const Table& table, const Roles& roles, Samples& samples) : table_(table), problems_(table.file) {
    samples.rows = table.rows;
    samples.own_ids = !roles.counted;
    samples.marked = !roles.trusted.empty() || !roles.checked.empty();
    samples.trusted.assign(table.size(), false);
    if (!roles.counted) samples.ids = texts_of(table.column(roles.id));
    for (std::size_t i = 0; roles.counted && i < table.size(); ++i) {
      samples.ids.push_back(std::to_string(table.rows[i]));
    }
    samples.labels = roles.label.empty() ? Names(table.size(), "-") : texts_of(table.column(roles.label));
    if (!roles.trusted.empty()) read_trusted(table.column(roles.trusted), samples);
    if (!roles.checked.empty()) read_checked(table.column(roles.checked), samples);
    find_bad_labels_and_ids(samples, problems_);
    problems_.refuse_if_any(
        "Fix these rows or take them out; a column that is not a feature is left out by --ignore COLUMN");
  }

 private:
  Names texts_of(const TableColumn& column) const {
    Names texts;
    texts.reserve(table_.size());
    for (const auto cell : column.cells) texts.push_back(column.texts[cell]);
    return texts;
  }

  void read_trusted(const TableColumn& column, Samples& samples) {
    std::vector<bool> flags;
    for (std::size_t i = 0; i < column.texts.size(); ++i) {
      bool flag = false;
      if (!parse_flag(column.texts[i], flag)) {
        problems_.add(fmt::format("{}: {} is none of 1, 0, true, false, yes, no",
                                  table_.place_of(column, static_cast<std::uint32_t>(i)),
                                  data::in_quotes(column.texts[i])));
      }
      flags.push_back(flag);
    }
    for (std::size_t row = 0; row < table_.size(); ++row) samples.trusted[row] = flags[column.cells[row]];
  }

  /// The label beside it is what the sample was given, whether it is marked as trusted or not.
  static void read_checked(const TableColumn& column, Samples& samples) {
    for (std::size_t row = 0; row < column.cells.size(); ++row) {
      if (column.cell(row).empty()) continue;
      samples.trusted[row] = false;
      set_checked_label(samples, row, column.cell(row));
    }
  }

  const Table& table_;
  data::Problems problems_;
};

std::vector<std::int64_t> all_rows(const Table& table) {
  std::vector<std::int64_t> rows(table.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  return rows;
}

Samples read_table_samples(const std::filesystem::path& file, const data::NoisySource& source, ReadingNotes& notes,
                           const TableEncoding* known, bool labelled) {
  const auto header = data::header_of(file);
  const auto name = file.string();
  const Roles roles = roles_of(header, source, name, known != nullptr, labelled);
  Samples samples;
  samples.file = name;
  if (known) {
    refuse_other_columns(header, *known, name);
    const Table table = read_table(file, known->reading(header, roles.texts()));
    note_unused(header, *known, source, roles, name, notes);
    RoleReader(table, roles, samples);
    std::vector<std::string> remarks;
    samples.inputs = known->encode(table, &remarks);
    samples.shape = {static_cast<std::int64_t>(known->features().size())};
    for (const auto& remark : remarks) notes.push_back(fmt::format("{}: {}", name, remark));
    return samples;
  }
  const auto choices = choices_of(source, header, roles, name);
  const Table table = read_table(file, first_reading(choices, roles));
  RoleReader(table, roles, samples);
  const auto encoding = std::make_shared<const TableEncoding>(TableEncoding::fit(table, all_rows(table), choices));
  std::vector<std::string> counted;  // the summary has them already
  samples.inputs = encoding->encode(table, &counted);
  samples.shape = {static_cast<std::int64_t>(encoding->features().size())};
  samples.encoding = encoding;
  return samples;
}

}  // namespace

Samples read_csv_samples(const std::filesystem::path& file, const data::NoisySource& source, ReadingNotes& notes,
                         const TableEncoding* known) {
  return read_table_samples(file, source, notes, known, /*labelled=*/true);
}

Samples read_csv_rows(const std::filesystem::path& file, const data::NoisySource& source, ReadingNotes& notes,
                      const TableEncoding& known) {
  return read_table_samples(file, source, notes, &known, /*labelled=*/false);
}

}  // namespace moblo::lab::readers
