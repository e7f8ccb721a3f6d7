#include "moblo/experiment/presentation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"
#include "moblo/base/text.hpp"

namespace moblo {
namespace {

std::string text_at(const Config& config, const std::string& key) {
  return config.values.contains(key) ? detail::read_string(config.values[key], {&config, key}) : "";
}

/// Visits each table of a [[key]] list with its place.
template <class Visit>
void each_table(const Config& config, const std::string& key, Visit visit) {
  if (!config.values.contains(key)) return;
  const auto& list = config.values[key];
  if (!list.is_array()) {
    throw Error(ErrorKind::config, config.place(key), fmt::format("`{}` is a list of tables", key),
                fmt::format("Write [[{}]]", key));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const OptionPlace place{&config, fmt::format("{}[{}]", key, i)};
    detail::refuse_unless_table(list[i], place);
    visit(list[i], place);
  }
}

void refuse_others(const Json& table, const std::vector<std::string>& known, const OptionPlace& place) {
  for (const auto& [key, value] : table.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) detail::refuse_unknown_key(key, known, place);
  }
}

std::string required(const Json& table, const std::string& key, const OptionPlace& place) {
  if (!table.contains(key)) throw Error(ErrorKind::config, place.text(), fmt::format("has no `{}`", key), "Write one");
  return detail::read_string(table[key], place.child(key));
}

ExperimentRecord::Panel panel(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"title", "quantity", "log", "cases"}, place);
  ExperimentRecord::Panel out;
  out.title = required(table, "title", place);
  out.quantity = required(table, "quantity", place);
  if (table.contains("log")) out.log = detail::read_bool(table["log"], place.child("log"));
  if (table.contains("cases")) {
    if (!table["cases"].is_array()) {
      throw Error(ErrorKind::config, place.child("cases").text(), "a list of case names is needed", "");
    }
    for (const auto& name : table["cases"]) out.cases.push_back(detail::read_string(name, place.child("cases")));
  }
  return out;
}

ExperimentRecord::Expectation expectation(const Json& table, const OptionPlace& place) {
  refuse_others(table, {"quantity", "at", "at_most", "at_least", "case", "source"}, place);
  ExperimentRecord::Expectation out;
  out.quantity = required(table, "quantity", place);
  if (table.contains("at")) out.at = detail::read_integer(table["at"], at_least(0), place.child("at"));
  if (table.contains("at_most")) out.at_most = detail::read_number(table["at_most"], {}, place.child("at_most"));
  if (table.contains("at_least")) out.at_least = detail::read_number(table["at_least"], {}, place.child("at_least"));
  if (table.contains("case")) out.case_name = detail::read_string(table["case"], place.child("case"));
  if (table.contains("source")) out.source = detail::read_string(table["source"], place.child("source"));
  if (!out.at_most && !out.at_least) {
    throw Error(ErrorKind::config, place.text(), "expects nothing", "Give it at_most, at_least or both");
  }
  return out;
}

}  // namespace

ExperimentRecord read_presentation(const Config& config) {
  ExperimentRecord record;
  record.title = text_at(config, "title");
  record.cost = text_at(config, "cost");
  record.shows = text_at(config, "shows");
  each_table(config, "panel", [&](const Json& t, const OptionPlace& p) { record.panels.push_back(panel(t, p)); });
  each_table(config, "expect",
             [&](const Json& t, const OptionPlace& p) { record.expectations.push_back(expectation(t, p)); });
  return record;
}

void refuse_unknown_cases(const ExperimentRecord& record) {
  std::vector<std::string> names;
  for (const auto& entry : record.cases) names.push_back(entry.name);
  const auto check = [&](const std::string& name, const std::string& where) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    throw Error(ErrorKind::config, fmt::format("case \"{}\" in {}", name, where), "does not exist",
                suggestion(name, names));
  };
  for (const auto& panel : record.panels) {
    for (const auto& name : panel.cases) check(name, fmt::format("panel \"{}\"", panel.title));
  }
  for (const auto& expected : record.expectations) check(expected.case_name, "an expectation on " + expected.quantity);
}

}  // namespace moblo
