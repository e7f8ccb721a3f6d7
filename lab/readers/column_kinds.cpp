#include "lab/readers/column_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/data/problems.hpp"
#include "lab/readers/word_counts.hpp"
#include "moblo/base/options.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::size_t fewest_rows_of_ids = 100;  // in fewer rows each may have a value of its own by chance
constexpr std::size_t fewest_texts = 20;         // different ones, of a column of free text
constexpr double fewest_words = 3;               // of such a text, on average

/// Of the different texts of a column that are not missing.
struct TextFacts {
  std::int64_t rows = 0, missing = 0, booleans = 0, dates = 0;  // rows
  std::size_t different = 0, words = 0;
  std::string example;
};

TextFacts look_at(const TableColumn& column, const RowNumbers& training) {
  TextFacts facts;
  const auto uses = uses_of(column, training);
  const std::pair<std::string_view, std::string_view>* pair = nullptr;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const auto rows = static_cast<std::int64_t>(uses[i]);
    const auto& text = column.texts[i];
    if (rows == 0) continue;
    if (is_missing(text)) {
      facts.missing += rows;
      continue;
    }
    if (facts.different++ == 0) facts.example = text;
    facts.rows += rows;
    facts.words += number_of_words(text);
    Moment moment;
    if (parse_moment(text, DateOrder::month_first, moment)) facts.dates += rows;
    if (const auto* words = boolean_words(text); words && (!pair || pair == words)) {
      pair = words;
      facts.booleans += rows;
    }
  }
  return facts;
}

bool ends_like_an_id(const std::string& name) {
  for (const auto* word : {"id", "key", "index", "uuid", "number"}) {
    const std::string_view ending(word);
    if (name.size() < ending.size()) continue;
    const auto start = name.size() - ending.size();
    const bool apart = start == 0 || name[start - 1] == '_' || name[start - 1] == ' ' || name[start - 1] == '-' ||
                       (word[0] == 'i' && name.substr(start) == "Id") || name.substr(start) == "ID";
    if (apart && same_word(std::string_view(name).substr(start), ending)) return true;
  }
  return false;
}

bool all_different(std::vector<float> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

bool numbers_are_ids(const TableColumn& column, const RowNumbers& training) {
  const auto& facts = *column.facts;
  if (training.size() < fewest_rows_of_ids || !facts.whole || facts.missing + facts.strays > 0) return false;
  return facts.counts || (ends_like_an_id(column.name) && all_different(column.numbers));
}

enum class Found { number, amount, category, boolean, date, text, id, empty };

Found kind_of_texts(const TextFacts& facts, std::size_t rows) {
  if (facts.rows == 0) return Found::empty;
  if (facts.booleans == facts.rows) return Found::boolean;
  if (10 * facts.dates >= 9 * facts.rows) return Found::date;
  const bool many = facts.different >= fewest_texts && 2 * facts.different > static_cast<std::size_t>(facts.rows);
  if (many && static_cast<double>(facts.words) >= fewest_words * static_cast<double>(facts.different)) {
    return Found::text;
  }
  const bool each_its_own = facts.different == static_cast<std::size_t>(facts.rows);
  return rows >= fewest_rows_of_ids && each_its_own ? Found::id : Found::category;
}

Found kind_of(const TableColumn& column, const TextFacts& facts, const RowNumbers& training,
              const ColumnChoices& choices) {
  const auto& name = column.name;
  if (is_in(choices.amounts, name)) return Found::amount;
  if (is_in(choices.numbers, name)) return Found::number;
  if (is_in(choices.categories, name)) return Found::category;
  if (is_in(choices.booleans, name)) return Found::boolean;
  if (is_in(choices.dates, name)) return Found::date;
  if (is_in(choices.texts, name)) return Found::text;
  if (!column.of_numbers()) return kind_of_texts(facts, training.size());
  if (column.facts->numbers == 0) return Found::empty;
  return numbers_are_ids(column, training) ? Found::id : Found::number;
}

ColumnCode code_of(Found kind, const Table& table, const TableColumn& column, const RowNumbers& training) {
  switch (kind) {
    case Found::amount:
      return fit_numbers(table, column, ColumnKind::amount, training, true);
    case Found::category:
      return fit_frequent_categories(column, training);
    case Found::boolean:
      return fit_booleans(column, training);
    case Found::date:
      return fit_dates(column, training);
    case Found::text:
      return fit_words(column, training);
    default:
      return fit_numbers(table, column, ColumnKind::number, training, true);
  }
}

/// Of the rows that have a value, the share whose category has an input of its own.
double share_with_input(const TableColumn& column, const ColumnCode& code, const TextFacts& facts,
                        const RowNumbers& training) {
  const auto uses = uses_of(column, training);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (std::binary_search(code.categories.begin(), code.categories.end(), column.texts[i])) rows += uses[i];
  }
  return static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, facts.rows));
}

std::string inputs_text(const ColumnCode& code) {
  const auto width = width_of(code) - (code.missing ? 1 : 0);
  std::string text = width == 1 ? "1 input" : fmt::format("{} inputs", width);
  if (code.rare) text += ", one for the rare ones";
  if (code.missing) text += ", and one for missing";
  return text;
}

void leave_out(ColumnSummary& summary, const std::string& kind, const std::string& why) {
  summary.kind = kind;
  summary.becomes = "left out: " + why;
}

bool no_boolean(const ColumnCode& code) {
  return code.kind == ColumnKind::boolean && code.categories.empty();
}

}  // namespace

Json summary_json(const std::vector<ColumnSummary>& columns) {
  Json all = Json::array();
  for (const auto& one : columns) {
    all.push_back({{"name", one.name},
                   {"kind", one.kind},
                   {"missing", one.missing},
                   {"example", one.example},
                   {"becomes", one.becomes}});
    if (!one.remark.empty()) all.back()["remark"] = one.remark;
  }
  return all;
}

std::vector<std::string> summary_lines(const Json& columns, std::size_t most) {
  std::vector<std::string> lines;
  if (!columns.is_array()) return lines;
  std::map<std::string, std::size_t> of_kind;
  for (const auto& one : columns) {
    const auto missing = one.at("missing").get<std::int64_t>();
    const auto remark = one.value("remark", "");
    ++of_kind[one.at("kind").get<std::string>()];
    if (columns.size() > most && remark.empty()) continue;
    lines.push_back(fmt::format(
        "  {:<20} {:<9} {:<24} {}{}{}", one.at("name").get<std::string>(), one.at("kind").get<std::string>(),
        data::in_quotes(one.at("example").get<std::string>().substr(0, 20)), one.at("becomes").get<std::string>(),
        missing > 0 ? fmt::format("; {} missing", missing) : "", remark.empty() ? "" : "; " + remark));
  }
  std::vector<std::string> counts;
  for (const auto& [kind, count] : of_kind) counts.push_back(fmt::format("{} {}", count, kind));
  lines.insert(lines.begin(), fmt::format("columns: {}", base::join(counts)));
  return lines;
}

std::optional<ColumnCode> recognise(const Table& table, const TableColumn& column, const RowNumbers& training,
                                    const ColumnChoices& choices, ColumnSummary& summary) {
  const TextFacts facts = column.of_numbers() ? TextFacts{} : look_at(column, training);
  summary.missing = column.of_numbers() ? column.facts->missing : facts.missing;
  summary.example = column.of_numbers() ? column.facts->example : facts.example;
  if (column.of_numbers() && column.facts->strays > 0) {
    summary.remark =
        fmt::format("{} of {} cells are no finite numbers, e.g. {} in row {}; they count as missing",
                    column.facts->strays, table.size(), data::in_quotes(column.facts->stray), column.facts->stray_row);
  }
  const Found kind = kind_of(column, facts, training, choices);
  if (kind == Found::empty) return leave_out(summary, "empty", "no row has a value"), std::nullopt;
  if (kind == Found::id) return leave_out(summary, "id", "each row has its own value"), std::nullopt;
  auto code = code_of(kind, table, column, training);
  if (no_boolean(code)) return leave_out(summary, "boolean", "no cell is a boolean"), std::nullopt;
  if (says_nothing(code)) return leave_out(summary, "constant", "all rows have the same value"), std::nullopt;
  const bool asked = is_in(choices.categories, column.name);
  if (kind == Found::category && !asked && share_with_input(column, code, facts, training) < 0.1) {
    return leave_out(summary, "id", "almost each row has its own value"), std::nullopt;
  }
  summary.kind = base::enum_name(code.kind);
  summary.becomes = inputs_text(code);
  return code;
}

}  // namespace moblo::lab::readers
