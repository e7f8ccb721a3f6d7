#include <fmt/format.h>

#include "cli/catalogue.hpp"
#include "cli/console.hpp"
#include "cli/options_table.hpp"
#include "cli/verbs.hpp"
#include "lab/config/config.hpp"
#include "lab/config/locate.hpp"
#include "lab/data/dataset_store.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string text_of(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

void list_methods(const Json& catalogue) {
  Rows rows{{"method", "derivatives", "what it is"}}, suits{{"suits"}};
  for (const auto& problem : catalogue.at("problems")) suits[0].push_back(text_of(problem, "name"));
  for (const auto& method : catalogue.at("methods")) {
    rows.push_back({text_of(method, "name"), text_of(method, "derivatives"), text_of(method, "summary")});
    suits.push_back({text_of(method, "name")});
    for (const auto& [problem, yes] : method.at("suits").items())
      suits.back().push_back(yes.get<bool>() ? "yes" : "no");
  }
  fmt::print("{}\n{}\n`moblo list methods NAME` shows a method's options.\n", table(rows), table(suits));
}

void list_problems(const Json& catalogue) {
  Rows rows{{"problem", "solution known", "what it is"}};
  for (const auto& problem : catalogue.at("problems")) {
    rows.push_back({text_of(problem, "name"), problem.at("solution_known").get<bool>() ? "yes" : "no",
                    text_of(problem, "summary")});
  }
  fmt::print("{}\n`moblo list problems NAME` shows a problem's options.\n", table(rows));
}

void list_weightings(const Json& catalogue) {
  Rows rows{{"weighting", "what it is"}};
  for (const auto& weighting : catalogue.at("weightings")) {
    rows.push_back({text_of(weighting, "name"), text_of(weighting, "summary")});
  }
  fmt::print("{}\n`moblo list weightings NAME` shows a weighting's options.\n", table(rows));
}

/// One entry of a list, with its options.
void show_entry(const Json& list, const std::string& what, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : list) {
    names.push_back(text_of(entry, "name"));
    if (names.back() != name) continue;
    fmt::print("{}: {}\n", name, text_of(entry, "summary"));
    if (entry.contains("reference")) fmt::print("{}\n", text_of(entry, "reference"));
    fmt::print("\n{}", options_table(entry.at("fields"), what == "weightings" ? "" : name + "."));
    return;
  }
  const auto kind = what.substr(0, what.size() - 1);
  throw Error(ErrorKind::config, fmt::format("list: {} = \"{}\"", kind, name), fmt::format("there is no such {}", kind),
              base::suggestion(name, names));
}

void list_datasets() {
  std::vector<std::vector<std::string>> rows{{"dataset", "where it is", "what it is"}};
  for (const auto& info : lab::data::dataset_catalogue()) {
    const auto folder = lab::data::locate_dataset(info);
    rows.push_back({info.name, folder ? folder->string() : "not here", info.summary});
  }
  fmt::print("{}\n`moblo data get NAME` gets one, `moblo data verify NAME` checks its files.\n", table(rows));
}

void list_experiments() {
  Rows rows{{"experiment", "cost", "what it is"}};
  for (const auto& file : lab::config::experiment_files()) {
    const auto config = lab::config::Config::from_file(file);
    const auto header = [&](const char* key) {
      const auto value = config.values.value(key, Json());
      return value.is_string() ? value.get<std::string>() : std::string();
    };
    rows.push_back({file.stem().string(), header("cost"), header("title")});
  }
  fmt::print("{}\n`moblo reproduce NAME` runs one and judges it.\n", table(rows));
}

}  // namespace

const std::vector<std::string>& names_of_lists() {
  static const std::vector<std::string> names{"methods",     "weightings", "problems", "datasets",
                                              "experiments", "training",   "front"};
  return names;
}

int list(const ListArguments& arguments) {
  const auto& [what, name] = arguments;
  const bool single = what == "methods" || what == "problems" || what == "weightings";
  const bool whole = what == "experiments" || what == "training" || what == "front" || what == "datasets";
  if (!single && !whole) {
    throw Error(ErrorKind::usage, fmt::format("moblo list {}", what), "there is no such list",
                base::suggestion(what, names_of_lists()));
  }
  if (whole && !name.empty()) {
    throw Error(ErrorKind::usage, fmt::format("moblo list {} {}", what, name),
                "only methods, weightings and problems are listed one by one",
                fmt::format("Write moblo list {}", what));
  }
  if (what == "datasets") {
    list_datasets();
  } else if (what == "experiments") {
    list_experiments();
  } else {
    const auto catalogue = read_catalogue();
    if (what == "training" || what == "front")
      fmt::print("{}", options_table(catalogue.at(what), what == "front" ? "front." : ""));
    else if (!name.empty())
      show_entry(catalogue.at(what), what, name);
    else if (what == "methods")
      list_methods(catalogue);
    else if (what == "weightings")
      list_weightings(catalogue);
    else
      list_problems(catalogue);
  }
  return 0;
}

}  // namespace moblo::cli
