#include "lab/experiments/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "lab/experiments/overlays.hpp"
#include "lab/experiments/presentation.hpp"
#include "lab/problems/registry.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::lab::experiments {
namespace {

/// What stands above the tables of an experiment file.
struct Header {
  std::string title, cost, shows, problem, method, warm_start;
  std::int64_t seed = 0;
  std::vector<double> seeds;
  std::int64_t threads = 0;
  std::int64_t jobs = 0;

  static const OptionTable<Header>& table() {
    static const auto table = [] {
      OptionTable<Header> t;
      t.add("title", &Header::title, "what it is");
      t.add("cost", &Header::cost, "time and memory it takes");
      t.add("shows", &Header::shows, "what one should see");
      t.add("problem", &Header::problem, "which problem");
      t.add("method", &Header::method, "which method");
      t.add("seed", &Header::seed, "of data, start and batches", at_least(0));
      t.add("seeds", &Header::seeds, "several of them: each case once per seed", within(0, 9007199254740992.0));
      t.add("threads", &Header::threads, "0 = all cores", within(0, 1024));
      t.add("warm_start", &Header::warm_start,
            "a run folder beside this run's, or an absolute path, at whose end the run begins; empty = none");
      t.add("jobs", &Header::jobs, "cells that `reproduce` runs at a time; 0 = one per core", within(0, 1024));
      return t;
    }();
    return table;
  }
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> names_of(const auto& catalogue) {
  std::vector<std::string> names;
  for (const auto& info : catalogue) names.push_back(info.name);
  return names;
}

/// Splits the top level into header, training options and tables of methods and problems; refuses anything else.
void split(const config::Config& config, Json& header, Json& training) {
  const auto header_keys = Header::table().keys(), training_keys = TrainingOptions::table().keys();
  const auto methods = names_of(method_catalogue()), problems = names_of(problems::problem_catalogue());
  for (const auto& [key, value] : config.values.items()) {
    if (contains(header_keys, key)) {
      header[key] = value;
    } else if (contains(training_keys, key)) {
      training[key] = value;
    } else if (!contains(methods, key) && !contains(problems, key) && !contains(structure_keys(), key)) {
      std::vector<std::string> known = header_keys;
      for (const auto* more : {&training_keys, &methods, &problems, &structure_keys()}) {
        known.insert(known.end(), more->begin(), more->end());
      }
      base::reading::refuse_unknown_key(key, known, {&config, ""});
    }
  }
}

Json table_of(const config::Config& config, const std::string& name) {
  return config.values.contains(name) ? config.values[name] : Json::object();
}

void refuse_missing(const std::string& value, const std::string& key, const config::Config& config) {
  if (!value.empty()) return;
  throw Error(ErrorKind::config, config.place(""), fmt::format("has no `{}`", key),
              fmt::format("Write {} = \"...\"; `moblo list {}s` shows them", key, key));
}

void refuse_bad_seeds(const std::vector<double>& seeds, const config::Config& config) {
  const bool whole = std::all_of(seeds.begin(), seeds.end(), [](double seed) { return seed == std::floor(seed); });
  if (whole && std::set(seeds.begin(), seeds.end()).size() == seeds.size()) return;
  throw Error(ErrorKind::config, OptionPlace{&config, "seeds"}.text(), "is not a list of distinct whole numbers",
              "Write for example seeds = [0, 1, 2]");
}

struct TopLevel {
  Header header;
  Json training = Json::object();
};

TopLevel read_top_level(const config::Config& config) {
  TopLevel top;
  Json header = Json::object();
  split(config, header, top.training);
  Header::table().read(header, top.header, {&config, ""});
  refuse_bad_seeds(top.header.seeds, config);
  return top;
}

/// A method that draws at random has a seed of its own; where none is given it is the run's.
void take_seed(RunPlan& plan, const config::Config& config) {
  if (!plan.method_options.contains("seed") || table_of(config, plan.method).contains("seed")) return;
  plan.method_options["seed"] = plan.seed;
}

/// Whether the tasks share a network is the problem's to build, but the method's to say.
void take_networks(RunPlan& plan, const MethodTraits& method, const ProblemTraits& problem) {
  if (problem.tasks && method.network_a_task) plan.problem_options["networks"] = "separate";
}

RunPlan plan_run(const config::Config& config, const TopLevel& top) {
  const Header& header = top.header;
  refuse_missing(header.problem, "problem", config);
  refuse_missing(header.method, "method", config);
  const auto& problem = problems::find_problem(header.problem, config.place("problem"));
  const auto& method = find_method(header.method, config.place("method"));

  TrainingOptions training;
  TrainingOptions::table().read(top.training, training, {&config, ""});
  RunPlan plan;
  plan.problem = problem.name;
  plan.method = method.name;
  plan.seed = static_cast<std::uint64_t>(header.seed);
  plan.threads = header.threads;
  plan.warm_start = header.warm_start;
  plan.training = TrainingOptions::table().write(training);
  plan.problem_options = problem.resolve(table_of(config, problem.name), {&config, problem.name});
  plan.method_options = method.resolve(table_of(config, method.name), {&config, method.name});
  take_seed(plan, config);
  const auto traits = method.traits(plan.method_options);
  take_networks(plan, traits, problem.traits);
  problem::refuse_unsuitable(method.name, traits, "problem " + problem.name, problem.traits);
  return plan;
}

/// Letters, digits and dashes only: a name can then never leave its folder.
std::string folder_name(const std::string& name) {
  std::string out;
  for (const unsigned char c : name) {
    if (std::isalnum(c) && c < 128) {
      out += static_cast<char>(std::tolower(c));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "run" : out.substr(0, 80);
}

void name_folders(std::vector<RunPlan>& runs) {
  std::set<std::string> taken;
  for (auto& run : runs) {
    std::string folder = folder_name(run.name);
    for (int i = 2; !taken.insert(folder).second; ++i) folder = fmt::format("{}-{}", folder_name(run.name), i);
    run.folder = folder;
  }
}

/// A table that names no rows has one per case.
void give_rows_to_tables(report::ExperimentRecord& record, const std::vector<RunPlan>& runs) {
  for (auto& table : record.tables) {
    if (!table.rows.empty()) continue;
    for (const auto& run : runs) {
      const bool known = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const auto& row) { return row.case_name == run.group; });
      if (!known) table.rows.push_back({run.group, "", {}});
    }
  }
}

}  // namespace

Json RunPlan::config() const {
  Json out;
  out["problem"] = problem;
  out["method"] = method;
  out["seed"] = seed;
  out["threads"] = threads;
  if (!warm_start.empty()) out["warm_start"] = warm_start;
  out.update(training);
  out[problem] = problem_options;
  out[method] = method_options;
  return out;
}

std::string RunPlan::fingerprint() const {
  Json identity{
      {"problem", problem}, {"method", method}, {"seed", seed}, {problem, problem_options}, {method, method_options}};
  if (!warm_start.empty()) identity["warm_start"] = warm_start;
  return identity.dump();
}

bool is_of(const RunPlan& plan, const Json& fingerprint) {
  if (!fingerprint.is_string()) return false;
  if (fingerprint == plan.fingerprint()) return true;
  auto identity = base::parse_json(fingerprint.get<std::string>());
  if (!identity.is_object() || !identity.contains(plan.problem) || !identity.contains(plan.method)) return false;
  try {
    identity[plan.problem] = problems::find_problem(plan.problem, "").resolve(identity[plan.problem], {});
    identity[plan.method] = find_method(plan.method, "").resolve(identity[plan.method], {});
  } catch (const Error&) {
    return false;
  }
  return identity.dump() == plan.fingerprint();
}

ExperimentPlan plan_experiment(const config::Config& original, const std::vector<std::uint64_t>& seeds, bool quick) {
  config::Config config = original;
  apply_preset(config);
  apply_quick(config, quick);
  drop_comparisons(config);
  ExperimentPlan plan;
  std::vector<report::ExperimentRecord::Case> presented;
  for (const auto& [of_case, overlaid] : expand_cases(config)) {
    const TopLevel top = read_top_level(overlaid);
    const Header& header = top.header;
    const RunPlan base = plan_run(overlaid, top);
    std::vector<std::uint64_t> wanted(header.seeds.begin(), header.seeds.end());
    if (!seeds.empty()) wanted = seeds;
    if (wanted.empty()) wanted = {base.seed};
    // A file that lists its seeds names each cell by its own, so that more seeds may be added to what is done.
    const bool numbered = wanted.size() > 1 || !header.seeds.empty() || of_case.name.empty();
    plan.jobs = header.jobs;
    for (const auto seed : wanted) {
      RunPlan run = base;
      run.seed = seed;
      take_seed(run, overlaid);
      run.group = of_case.name.empty() ? fmt::format("{} {}", run.problem, run.method) : of_case.name;
      run.name = numbered ? fmt::format("{} seed {}", run.group, seed) : run.group;
      plan.runs.push_back(std::move(run));
      presented.push_back(of_case);
    }
  }
  name_folders(plan.runs);
  plan.record = read_presentation(config);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const auto& run = plan.runs[i];
    plan.record.cases.push_back({run.name, run.folder, run.group == run.name ? "" : run.group, presented[i].series,
                                 presented[i].x, run.config()});
  }
  give_rows_to_tables(plan.record, plan.runs);
  refuse_unknown_cases(plan.record);
  return plan;
}

RunPlan plan_resume(const Json& manifest_config, const std::vector<std::string>& amendments) {
  config::Config config(manifest_config, "manifest.json");
  for (const auto& amendment : amendments) {
    const std::string key = amendment.substr(0, amendment.find('='));
    const bool allowed =
        contains({"iterations", "checkpoint_every", "evaluate_every", "tensorboard", "threads", "refit"}, key) ||
        key.starts_with("stop.") || (key.starts_with("optimiser.") && key.ends_with(".step_size"));
    if (!allowed) {
      throw Error(ErrorKind::usage, fmt::format("--set {} with --resume", amendment),
                  "would make it another run than the one that was started",
                  "Only iterations, stop.*, checkpoint_every, evaluate_every, tensorboard, threads, refit and "
                  "optimiser.*.step_size may change; start a new run for the rest");
    }
    config.set(amendment);
  }
  return plan_run(config, read_top_level(config));
}

std::vector<RunPlan> plan_resume(const report::ExperimentRecord& record, const std::vector<std::string>& amendments) {
  std::vector<RunPlan> runs;
  for (const auto& one : record.cases) {
    if (one.config.is_null()) {
      throw Error(ErrorKind::data, fmt::format("the experiment '{}'", record.name),
                  "was written by a version that did not store the plans of its runs",
                  "Resume its runs one by one, or start it again with another --out");
    }
    RunPlan run = plan_resume(one.config, amendments);
    run.name = one.name;
    run.group = one.group.empty() ? one.name : one.group;
    run.folder = one.folder;
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace moblo::lab::experiments
