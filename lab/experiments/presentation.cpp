#include "lab/experiments/presentation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::experiments {
namespace {

std::string text_at(const config::Config& config, const std::string& key) {
  return config.values.contains(key) ? base::reading::read_string(config.values[key], {&config, key}) : "";
}

/// Visits each table of a [[key]] list with its place.
template <class Visit>
void each_table(const Json& parent, const std::string& key, const OptionPlace& at, Visit visit) {
  if (!parent.contains(key)) return;
  const auto& list = parent[key];
  const auto all = at.child(key);
  if (!list.is_array()) {
    throw Error(ErrorKind::config, all.source->place(all.path), fmt::format("`{}` is a list of tables", key),
                fmt::format("Write [[{}]]", key));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const OptionPlace place{all.source, fmt::format("{}[{}]", all.path, i)};
    base::reading::refuse_unless_table(list[i], place);
    visit(list[i], place);
  }
}

void refuse_others(const Json& table, const std::vector<std::string>& known, const OptionPlace& place) {
  for (const auto& [key, value] : table.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) base::reading::refuse_unknown_key(key, known, place);
  }
}

std::string required(const Json& table, const std::string& key, const OptionPlace& place) {
  if (!table.contains(key)) throw Error(ErrorKind::config, place.text(), fmt::format("has no `{}`", key), "Write one");
  return base::reading::read_string(table[key], place.child(key));
}

std::string text_or_none(const Json& table, const std::string& key, const OptionPlace& place) {
  return table.contains(key) ? base::reading::read_string(table[key], place.child(key)) : "";
}

std::vector<std::string> names_or_none(const Json& table, const std::string& key, const OptionPlace& place) {
  return table.contains(key) ? base::reading::read_strings(table[key], place.child(key)) : std::vector<std::string>();
}

double scale_of(const Json& table, const OptionPlace& place) {
  return table.contains("scale") ? base::reading::read_number(table["scale"], above(0), place.child("scale")) : 1;
}

bool flag_or(const Json& table, const std::string& key, bool fallback, const OptionPlace& place) {
  return table.contains(key) ? base::reading::read_bool(table[key], place.child(key)) : fallback;
}

report::ExperimentRecord::Panel panel(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"title", "quantity", "log", "cases", "x", "log_x", "x_title", "y_title", "scale"}, place);
  report::ExperimentRecord::Panel out;
  out.title = required(table, "title", place);
  out.quantity = required(table, "quantity", place);
  out.x = text_or_none(table, "x", place);
  out.log = flag_or(table, "log", out.x.empty(), place);
  out.log_x = flag_or(table, "log_x", false, place);
  out.x_title = text_or_none(table, "x_title", place);
  out.y_title = text_or_none(table, "y_title", place);
  out.scale = scale_of(table, place);
  out.cases = names_or_none(table, "cases", place);
  if (out.x.empty() && (table.contains("log_x") || table.contains("x_title") || table.contains("scale"))) {
    throw Error(ErrorKind::config, place.text(), "log_x, x_title and scale go with an `x`",
                "Name the value of the cases that it is drawn against, e.g. x = \"rho\"");
  }
  return out;
}

report::ExperimentRecord::Expectation expectation(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"quantity", "at", "at_most", "at_least", "case", "source", "above", "relative_to"}, place);
  report::ExperimentRecord::Expectation out;
  out.quantity = required(table, "quantity", place);
  if (table.contains("at")) out.at = base::reading::read_integer(table["at"], at_least(0), place.child("at"));
  if (table.contains("at_most")) out.at_most = base::reading::read_number(table["at_most"], {}, place.child("at_most"));
  if (table.contains("at_least"))
    out.at_least = base::reading::read_number(table["at_least"], {}, place.child("at_least"));
  out.case_name = text_or_none(table, "case", place);
  out.source = text_or_none(table, "source", place);
  out.above = names_or_none(table, "above", place);
  out.relative_to = text_or_none(table, "relative_to", place);
  if (!out.at_most && !out.at_least && out.above.empty()) {
    throw Error(ErrorKind::config, place.text(), "expects nothing", "Give it at_most, at_least or above");
  }
  return out;
}

/// 88.64 or [88.64, 0.94]; [] where the paper has none.
report::ExperimentRecord::Estimate estimate(const Json& value, const OptionPlace& place) {
  if (!value.is_array()) return {base::reading::read_number(value, {}, place), std::nullopt};
  const auto numbers = base::reading::read_numbers(value, {}, place);
  if (numbers.size() > 2) {
    throw Error(ErrorKind::config, place.text(), "has more than a mean and a deviation", "Write [mean, deviation]");
  }
  report::ExperimentRecord::Estimate out;
  if (!numbers.empty()) out.mean = numbers[0];
  if (numbers.size() == 2) out.deviation = numbers[1];
  return out;
}

report::ExperimentRecord::Table::Column column(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"title", "quantity", "scale", "relative", "task", "lower_is_better"}, place);
  return {required(table, "title", place),
          required(table, "quantity", place),
          scale_of(table, place),
          flag_or(table, "relative", false, place),
          text_or_none(table, "task", place),
          flag_or(table, "lower_is_better", false, place)};
}

report::ExperimentRecord::Table::Row row(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"case", "relative_to", "paper"}, place);
  report::ExperimentRecord::Table::Row out{
      required(table, "case", place), text_or_none(table, "relative_to", place), {}};
  if (!table.contains("paper")) return out;
  const auto paper = place.child("paper");
  if (!table["paper"].is_array()) {
    throw Error(ErrorKind::config, paper.text(), "a list is needed, one entry per column",
                "Write [[mean, deviation], ...]");
  }
  for (std::size_t i = 0; i < table["paper"].size(); ++i) {
    out.paper.push_back(estimate(table["paper"][i], {paper.source, fmt::format("{}[{}]", paper.path, i)}));
  }
  return out;
}

report::ExperimentRecord::Table table_of(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"title", "against", "column", "row"}, place);
  report::ExperimentRecord::Table out;
  out.against = text_or_none(table, "against", place);
  out.title = required(table, "title", place);
  each_table(table, "column", place, [&](const Json& t, const OptionPlace& p) { out.columns.push_back(column(t, p)); });
  each_table(table, "row", place, [&](const Json& t, const OptionPlace& p) { out.rows.push_back(row(t, p)); });
  for (const auto& one : out.rows) {
    if (one.paper.size() <= out.columns.size()) continue;
    throw Error(ErrorKind::config, place.text(),
                fmt::format("row \"{}\" has {} values of the paper for {} columns", one.case_name, one.paper.size(),
                            out.columns.size()),
                "Give each column one, or [] where there is none");
  }
  return out;
}

}  // namespace

report::ExperimentRecord read_presentation(const config::Config& config) {
  report::ExperimentRecord record;
  record.title = text_at(config, "title");
  record.cost = text_at(config, "cost");
  record.shows = text_at(config, "shows");
  const auto& values = config.values;
  const OptionPlace top{&config, ""};
  each_table(values, "panel", top, [&](const Json& t, const OptionPlace& p) { record.panels.push_back(panel(t, p)); });
  each_table(values, "expect", top,
             [&](const Json& t, const OptionPlace& p) { record.expectations.push_back(expectation(t, p)); });
  each_table(values, "table", top,
             [&](const Json& t, const OptionPlace& p) { record.tables.push_back(table_of(t, p)); });
  return record;
}

void refuse_unknown_cases(const report::ExperimentRecord& record) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& entry : record.cases) add(entry.group);
  for (const auto& entry : record.cases) add(entry.name);
  const auto check = [&](const std::string& name, const std::string& where) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    throw Error(ErrorKind::config, fmt::format("case \"{}\" in {}", name, where), "does not exist",
                base::suggestion(name, names));
  };
  for (const auto& panel : record.panels) {
    for (const auto& name : panel.cases) check(name, fmt::format("panel \"{}\"", panel.title));
  }
  for (const auto& expected : record.expectations) {
    const auto where = "an expectation on " + expected.quantity;
    check(expected.case_name, where);
    check(expected.relative_to, where);
    for (const auto& name : expected.above) check(name, where);
  }
  for (const auto& table : record.tables) {
    for (const auto& row : table.rows) {
      check(row.case_name, fmt::format("table \"{}\"", table.title));
      check(row.relative_to, fmt::format("table \"{}\"", table.title));
    }
  }
}

}  // namespace moblo::lab::experiments
