#include "lab/problems/fairness_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/problems.hpp"
#include "lab/data/split.hpp"
#include "lab/problems/to_tensors.hpp"
#include "lab/readers/cells.hpp"
#include "lab/readers/table_encoding.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

using Rows = std::vector<std::int64_t>;

constexpr std::int64_t smallest_group = 10;  // of one part; below, a mean score says nothing

/// What a table's columns are for.
struct TableRoles {
  std::filesystem::path file;
  std::string label, positive, negative, group, split;
  std::vector<std::string> groups;
  readers::ColumnChoices choices;
};

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::filesystem::path file_of_dataset(const std::string& name, const std::string& directory) {
  const auto folder = data::require_dataset(data::find_dataset("fairness"), directory);
  if (const auto file = data::find_file(folder, name)) return *file;
  throw Error(ErrorKind::data, folder.string(), fmt::format("holds no {} and no {}.gz", name, name),
              "`moblo data where fairness` says where to get it and how it is laid out");
}

TableRoles adult_roles(const FairnessOptions& options) {
  TableRoles roles;
  roles.file = file_of_dataset("adult.csv", options.data);
  roles.label = "income", roles.positive = ">50K", roles.negative = "<=50K";
  roles.group = options.protected_column.empty() ? "sex" : options.protected_column;
  roles.split = "split";
  if (roles.group == "race") roles.groups = {"White"};
  // fnlwgt is a weight of the survey; education_num repeats education
  roles.choices.left_out = {"fnlwgt", "education"};
  roles.choices.amounts = {"capital_gain", "capital_loss"};
  return roles;
}

TableRoles compas_roles(const FairnessOptions& options) {
  TableRoles roles;
  roles.file = file_of_dataset("compas.csv", options.data);
  roles.label = "two_year_recid", roles.positive = "1", roles.negative = "0";
  roles.group = options.protected_column.empty() ? "race" : options.protected_column;
  if (roles.group == "race") roles.groups = {"African-American", "Caucasian"};
  roles.choices.left_out = {"id"};
  return roles;
}

TableRoles roles_of(const FairnessOptions& options) {
  TableRoles roles;
  if (options.dataset == FairnessTable::adult) roles = adult_roles(options);
  if (options.dataset == FairnessTable::compas) roles = compas_roles(options);
  if (options.dataset == FairnessTable::file) {
    roles.file = options.file;
    roles.label = options.label, roles.positive = options.positive;
    roles.group = options.protected_column;
    roles.split = options.split;
  }
  if (!options.groups.empty()) roles.groups = options.groups;
  for (const auto& role : {roles.label, roles.group, roles.split}) {
    if (!role.empty()) roles.choices.left_out.push_back(role);
  }
  append(roles.choices.left_out, options.left_out);
  append(roles.choices.numbers, options.numbers);
  append(roles.choices.amounts, options.amounts);
  append(roles.choices.categories, options.categories);
  return roles;
}

/// 1 where a row's label is the positive one. A table of the user's has two labels, whatever the other is called.
Rows labels_of(const readers::Table& table, const TableRoles& roles) {
  const auto& column = table.column(roles.label);
  data::Problems problems(table.file);
  std::vector<bool> positive(column.texts.size());
  std::set<std::string> others;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const auto& text = column.texts[i];
    bool flag = text == roles.positive;
    const bool known = !readers::is_missing(text) &&
                       (roles.positive.empty() ? readers::parse_flag(text, flag)
                                               : flag || roles.negative.empty() || text == roles.negative);
    positive[i] = flag;
    if (!flag) others.insert(text);
    if (known && others.size() < 2) continue;
    problems.add(fmt::format("{}: {} is no label", table.place_of(column, static_cast<std::uint32_t>(i)),
                             data::in_quotes(text)));
  }
  problems.refuse_if_any("Give every row one of two labels, and say which is positive (positive = \"...\")");
  Rows labels;
  for (const auto cell : column.cells) labels.push_back(positive[cell] ? 1 : 0);
  return labels;
}

/// The number of each row's group, and the names of all.
Rows groups_of(const readers::Table& table, const TableRoles& roles, std::vector<std::string>& names) {
  const auto& column = table.column(roles.group);
  names = roles.groups;
  if (names.empty()) {
    names = column.texts;
    std::sort(names.begin(), names.end());
  }
  for (const auto& name : names) {
    if (std::find(column.texts.begin(), column.texts.end(), name) != column.texts.end()) continue;
    throw Error(ErrorKind::data, table.file,
                fmt::format("group {} does not occur in column {}; there are {}", data::in_quotes(name),
                            data::in_quotes(roles.group), data::some_of(column.texts)),
                "Name groups that are there");
  }
  const auto named = static_cast<std::int64_t>(names.size());
  Rows number_of_text;
  for (const auto& text : column.texts) {
    number_of_text.push_back(std::find(names.begin(), names.end(), text) - names.begin());
  }
  if (std::find(number_of_text.begin(), number_of_text.end(), named) != number_of_text.end()) names.push_back("others");
  if (names.size() < 2 || names.size() > 20) {
    throw Error(
        ErrorKind::data, table.file,
        fmt::format("column {} makes {} groups; 2 to 20 can be compared", data::in_quotes(roles.group), names.size()),
        "Name the groups that count (groups = [...]): all others together are one more");
  }
  Rows groups;
  for (const auto cell : column.cells) groups.push_back(number_of_text[cell]);
  return groups;
}

struct Parts {
  Rows train, validation, select, test;
};

/// Which rows a column marks as for tests.
std::vector<bool> marked_for_tests(const readers::Table& table, const std::string& split) {
  const auto& column = table.column(split);
  data::Problems problems(table.file);
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    if (column.texts[i] == "train" || column.texts[i] == "test") continue;
    problems.add(fmt::format("{}: {} is neither train nor test", table.place_of(column, static_cast<std::uint32_t>(i)),
                             data::in_quotes(column.texts[i])));
  }
  problems.refuse_if_any("Write one of the two");
  std::vector<bool> test;
  for (std::size_t row = 0; row < table.size(); ++row) test.push_back(column.cell(row) == "test");
  return test;
}

Parts parts_of(const readers::Table& table, const TableRoles& roles, const FairnessOptions& options,
               std::uint64_t seed) {
  Parts parts;
  Rows candidates;
  std::int64_t test = 0;
  if (roles.split.empty()) {
    for (std::size_t row = 0; row < table.size(); ++row) candidates.push_back(static_cast<std::int64_t>(row));
    test = options.test > 0 ? options.test : 3 * static_cast<std::int64_t>(table.size()) / 10;
  } else {
    const auto for_tests = marked_for_tests(table, roles.split);
    for (std::size_t row = 0; row < table.size(); ++row) {
      (for_tests[row] ? parts.test : candidates).push_back(static_cast<std::int64_t>(row));
    }
  }
  const auto available = static_cast<std::int64_t>(candidates.size());
  const auto rest = std::max<std::int64_t>(available - test, 0);
  const auto validation = options.validation > 0 ? options.validation : rest / 4;
  const auto train = options.train > 0 ? options.train : std::max<std::int64_t>(rest - validation - options.select, 1);
  const auto drawn = data::draw_parts(available, {train, validation, options.select, test},
                                      derive_seed(seed, base::enum_name(options.dataset)), table.file);
  const auto rows_of = [&](const Rows& chosen) {
    Rows rows;
    for (const auto at : chosen) rows.push_back(candidates[static_cast<std::size_t>(at)]);
    return rows;
  };
  parts.train = rows_of(drawn[0]);
  parts.validation = rows_of(drawn[1]);
  parts.select = rows_of(drawn[2]);
  if (roles.split.empty()) parts.test = rows_of(drawn[3]);
  return parts;
}

/// All rows but those for tests, in their order: what the encoding is found from, the same for every size of the parts.
Rows rows_without(std::size_t rows, const Rows& test) {
  std::vector<bool> left_out(rows, false);
  for (const auto row : test) left_out[static_cast<std::size_t>(row)] = true;
  Rows all;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!left_out[row]) all.push_back(static_cast<std::int64_t>(row));
  }
  return all;
}

void refuse_small_groups(const std::vector<std::string>& groups, const Rows& cells, const Rows& rows,
                         const std::string& part, const std::string& file) {
  std::vector<std::int64_t> count(2 * groups.size(), 0);
  for (const auto row : rows) ++count[static_cast<std::size_t>(cells[static_cast<std::size_t>(row)])];
  data::Problems problems(file);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto negative = count[2 * g], positive = count[2 * g + 1];
    if (negative > 0 && positive > 0 && negative + positive >= smallest_group) continue;
    problems.add(
        fmt::format("group {} has {} positive and {} negative of the {} samples: one of each and {} in all are "
                    "needed",
                    data::in_quotes(groups[g]), positive, negative, part, smallest_group));
  }
  problems.refuse_if_any(
      "Name the groups that count (groups = [...]): all others together are one more; or ask for more samples");
}

}  // namespace

FairnessData make_fairness_data(const FairnessOptions& options, std::uint64_t seed) {
  const auto roles = roles_of(options);
  const auto table = readers::read_table(roles.file);
  FairnessData data;
  const auto labels = labels_of(table, roles), groups = groups_of(table, roles, data.groups);
  Rows cells;
  for (std::size_t row = 0; row < table.size(); ++row) cells.push_back(2 * groups[row] + labels[row]);

  const auto parts = parts_of(table, roles, options, seed);
  const auto encoding = readers::TableEncoding::fit(table, rows_without(table.size(), parts.test), roles.choices);
  const auto inputs = to_tensor(encoding.encode(table), {static_cast<std::int64_t>(table.size()),
                                                         static_cast<std::int64_t>(encoding.features().size())})
                          .to(problem::scalar_type(options.dtype));
  const auto all_cells = to_tensor(cells, {static_cast<std::int64_t>(cells.size())});
  const auto take = [&](const Rows& rows, const char* part) {
    refuse_small_groups(data.groups, cells, rows, part, table.file);
    const auto chosen = torch::tensor(rows, torch::kInt64);
    return TensorDataset{inputs.index_select(0, chosen), all_cells.index_select(0, chosen)};
  };
  data.train = take(parts.train, "training");
  data.validation = take(parts.validation, "validation");
  if (!parts.select.empty()) data.select = take(parts.select, "selection");
  data.test = take(parts.test, "test");

  data.provenance["files"] = {
      {"file", roles.file.stem().extension() == ".csv" ? roles.file.stem().string() : roles.file.filename().string()},
      {"sha256", table.sha256}};
  for (const auto* part : {&parts.train, &parts.validation, &parts.select}) {
    if (!part->empty()) data.provenance["samples_sha256"].push_back(data::sha256(*part));
  }
  if (roles.split.empty()) data.provenance["test_sha256"] = data::sha256(parts.test);
  data.provenance["groups"] = data.groups;
  data.provenance["encoding"] = encoding.to_json();
  return data;
}

}  // namespace moblo::lab::problems
