#include <algorithm>
#include <cmath>

#include "lab/readers/table_encoding.hpp"
#include "lab/readers/word_counts.hpp"
#include "moblo/base/options.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::readers {

namespace {

template <class Enum>
Enum one_of(const records::Fields& fields, const char* key, const std::string& rule) {
  const auto text = fields.text(key);
  const auto names = enum_names(Enum{});
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == text; });
  if (found == names.end()) fields.refuse(key, rule);
  return found->second;
}

void read_categories(const records::Fields& fields, ColumnCode& code) {
  code.categories = fields.texts("categories");
  code.rare = fields.flag_or("rare", false);
  const auto& list = code.categories;
  if (!std::is_sorted(list.begin(), list.end()) || std::adjacent_find(list.begin(), list.end()) != list.end()) {
    fields.refuse("categories", "must be sorted, and each there once");
  }
  if (code.kind == ColumnKind::boolean && list.size() != 2) fields.refuse("categories", "must be two of a boolean");
}

void read_fill(const records::Fields& fields, ColumnCode& code) {
  code.fill = fields.number_if_any("fill").value_or(0);
  // beyond it no calendar is kept
  if (!(std::abs(code.fill) < (code.kind == ColumnKind::date ? 4e6 : 1e39))) fields.refuse("fill", "must be finite");
}

void read_numbers(const records::Fields& fields, ColumnCode& code) {
  code.mean = fields.number("mean");
  code.deviation = fields.number("deviation");
  if (!std::isfinite(code.mean)) fields.refuse("mean", "must be finite");
  if (!std::isfinite(code.deviation) || code.deviation < 0) fields.refuse("deviation", "must be at least 0");
  read_fill(fields, code);
}

void read_rarity(const records::Fields& fields, ColumnCode& code) {
  for (const auto& one : fields.list("rarity")) {
    code.rarity.push_back(one.is_number() ? one.get<double>() : -1);
    if (!(code.rarity.back() >= 0 && code.rarity.back() < 1e9)) fields.refuse("rarity", "must be of finite numbers");
  }
  if (code.rarity.size() != word_places) fields.refuse("rarity", "has not one entry for each place of words");
}

Json column_json(const ColumnCode& code) {
  Json one{{"name", code.name}, {"kind", base::enum_name(code.kind)}, {"missing", code.missing}};
  switch (code.kind) {
    case ColumnKind::category:
    case ColumnKind::boolean:
      one["categories"] = code.categories;
      if (code.rare) one["rare"] = true;
      break;
    case ColumnKind::date:
      one["order"] = base::enum_name(code.order);
      one["hour"] = code.hour;
      one["fill"] = code.fill;
      break;
    case ColumnKind::text:
      one["rarity"] = code.rarity;
      break;
    default:
      one["mean"] = code.mean;
      one["deviation"] = code.deviation;
      if (code.fill != 0) one["fill"] = code.fill;
  }
  return one;
}

ColumnCode read_column(const records::Fields& fields) {
  ColumnCode code;
  code.name = fields.text("name");
  code.missing = fields.flag_or("missing", false);
  code.kind = one_of<ColumnKind>(fields, "kind", "is none of number, amount, category, boolean, date and text");
  if (code.of_numbers()) read_numbers(fields, code);
  if (code.kind == ColumnKind::category || code.kind == ColumnKind::boolean) read_categories(fields, code);
  if (code.kind == ColumnKind::text) read_rarity(fields, code);
  if (code.kind == ColumnKind::date) {
    code.order = one_of<DateOrder>(fields, "order", "is neither day_first nor month_first");
    code.hour = fields.flag_or("hour", false);
    read_fill(fields, code);
  }
  return code;
}

}  // namespace

Json TableEncoding::to_json() const {
  Json columns = Json::array();
  for (const auto& code : columns_) columns.push_back(column_json(code));
  return {{"columns", std::move(columns)}, {"dropped", dropped_}};
}

TableEncoding TableEncoding::from_json(const Json& document, const std::string& what) {
  TableEncoding encoding;
  const records::Fields all(document, what);
  encoding.dropped_ = all.texts("dropped");
  for (const auto& column : all.list("columns")) encoding.columns_.push_back(read_column({column, what}));
  encoding.name_features();
  if (encoding.features_.empty()) all.refuse("columns", "make no input");
  return encoding;
}

}  // namespace moblo::lab::readers
