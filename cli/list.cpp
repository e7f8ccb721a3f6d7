#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/options_table.hpp"
#include "cli/verbs.hpp"
#include "moblo/applications/catalogue.hpp"
#include "moblo/base/config.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/data/dataset_store.hpp"
#include "moblo/experiment/plan.hpp"
#include "moblo/methods/catalogue.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::cli {
namespace {

/// With its default options.
std::string derivatives_of(const MethodInfo& info) {
  const auto traits = info.traits(info.resolve(Json::object(), {}));
  if (traits.gradient_free) return "none of alpha";
  return !traits.first_order ? "second order" : traits.single_level ? "first order, one level" : "first order";
}

void list_methods() {
  std::vector<std::vector<std::string>> rows{{"method", "derivatives", "what it is"}};
  for (const auto& info : method_catalogue()) rows.push_back({info.name, derivatives_of(info), info.summary});
  fmt::print("{}\n", table(rows));

  std::vector<std::vector<std::string>> suits{{"suits"}};
  for (const auto& problem : problem_catalogue()) suits[0].push_back(problem.name);
  for (const auto& info : method_catalogue()) {
    std::vector<std::string> row{info.name};
    const auto traits = info.traits(info.resolve(Json::object(), {}));
    for (const auto& problem : problem_catalogue()) row.push_back(unsuitable(traits, problem.traits) ? "no" : "yes");
    suits.push_back(row);
  }
  fmt::print("{}\n`moblo list methods NAME` shows a method's options.\n", table(suits));
}

void list_problems() {
  std::vector<std::vector<std::string>> rows{{"problem", "solution known", "what it is"}};
  for (const auto& info : problem_catalogue()) {
    rows.push_back({info.name, info.traits.known_solution_set ? "yes" : "no", info.summary});
  }
  fmt::print("{}\n`moblo list problems NAME` shows a problem's options.\n", table(rows));
}

void list_datasets() {
  std::vector<std::vector<std::string>> rows{{"dataset", "where it is", "what it is"}};
  for (const auto& info : dataset_catalogue()) {
    const auto folder = locate_dataset(info);
    rows.push_back({info.name, folder ? folder->string() : "not here", info.summary});
  }
  fmt::print("{}\n`moblo data get NAME` gets one, `moblo data verify NAME` checks its files.\n", table(rows));
}

void list_experiments() {
  std::vector<std::vector<std::string>> rows{{"experiment", "cost", "what it is"}};
  for (const auto& file : experiment_files()) {
    const auto record = plan_experiment(Config::from_file(file)).record;
    rows.push_back({file.stem().string(), record.cost, record.title});
  }
  fmt::print("{}\n`moblo reproduce NAME` runs one and judges it.\n", table(rows));
}

}  // namespace

int list(const ListArguments& arguments) {
  const bool whole = arguments.what == "experiments" || arguments.what == "training" || arguments.what == "datasets";
  if (whole && !arguments.name.empty()) {
    throw Error(ErrorKind::usage, fmt::format("moblo list {} {}", arguments.what, arguments.name),
                "only methods and problems are listed one by one", fmt::format("Write moblo list {}", arguments.what));
  }
  if (arguments.what == "training") {
    fmt::print("{}", options_table(TrainingOptions::table().fields(), ""));
  } else if (arguments.what == "methods" && arguments.name.empty()) {
    list_methods();
  } else if (arguments.what == "methods") {
    const auto& info = find_method(arguments.name, "list");
    fmt::print("{}: {}\n{}\n\n{}", info.name, info.summary, info.reference,
               options_table(info.fields, info.name + "."));
  } else if (arguments.what == "problems" && arguments.name.empty()) {
    list_problems();
  } else if (arguments.what == "problems") {
    const auto& info = find_problem(arguments.name, "list");
    fmt::print("{}: {}\n\n{}", info.name, info.summary, options_table(info.fields, info.name + "."));
  } else if (arguments.what == "datasets") {
    list_datasets();
  } else if (arguments.what == "experiments") {
    list_experiments();
  } else {
    throw Error(ErrorKind::usage, fmt::format("moblo list {}", arguments.what), "there is no such list",
                suggestion(arguments.what, {"methods", "problems", "datasets", "experiments", "training"}));
  }
  return 0;
}

}  // namespace moblo::cli
