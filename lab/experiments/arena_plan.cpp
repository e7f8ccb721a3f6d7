#include "lab/experiments/arena_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/experiments/overlays.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"

namespace moblo::lab::experiments {
namespace {

constexpr const char* arena_plan_file = "arena_plan.json";
constexpr const char* arena_plan_format = "moblo arena plan";

[[noreturn]] void refuse(const OptionPlace& place, const char* key, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::config, place.child(key).text(), rule, next);
}

void refuse_bad_bounds(const std::vector<double>& bounds, const OptionPlace& place, const char* key) {
  if (bounds.size() == 2 && bounds[0] <= bounds[1]) return;
  refuse(place, key, "is not a lower and an upper bound of a step size", fmt::format("Write {} = [0.01, 1]", key));
}

/// It names a folder.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

double radical_inverse(std::size_t index, std::size_t base) {
  double value = 0, digit = 1;
  for (; index > 0; index /= base) {
    digit /= static_cast<double>(base);
    value += digit * static_cast<double>(index % base);
  }
  return value;
}

double between(const std::vector<double>& bounds, double share) {
  return bounds[0] * std::pow(bounds[1] / bounds[0], share);
}

/// Step sizes and what is common to all methods; `settings` win.
Json cell_config(const ArenaPlan& arena, const ArenaProblem& problem, const MethodInfo& method,
                 const StepSizes& steps) {
  Json own = Json::object();
  for (const auto& [key, value] : problem.common.items()) {
    if (method.takes(key)) own[key] = value;
  }
  for (const auto& key : arena.options.omega_options) {
    if (method.takes(key)) own[key] = steps.omega;
  }
  for (const auto& key : arena.options.lower_options) {
    if (method.takes(key)) own[key] = steps.lower;
  }
  Json config{{"title", arena.options.title}, {"problem", problem.problem}, {"method", method.name}, {"threads", 1}};
  config["iterations"] = problem.budget;  // more than it can be: an iteration takes at least one gradient
  config["evaluate_every"] = problem.evaluate_every;
  config["refit_steps"] = problem.refit_steps;
  config["checkpoint_every"] = 0;
  config["tensorboard"] = false;
  config["stop"]["gradients"] = problem.budget;
  config["optimiser"]["alpha"]["step_size"] = steps.alpha;
  config["optimiser"]["omega"]["step_size"] = steps.omega;
  config[method.name] = own;
  config.merge_patch(problem.settings);
  return config;
}

ArenaProblem read_problem(const config::Config& config, std::size_t index) {
  const OptionPlace place{&config, fmt::format("problem[{}]", index)};
  ArenaProblem problem;
  ArenaProblem::table().read(config.values["problem"][index], problem, place);
  return problem;
}

/// The wanted ones of the file, in its order.
std::vector<ArenaProblem> read_problems(const config::Config& config, const ArenaOptions& options) {
  const Json list = config.values.value("problem", Json::array());
  if (!list.is_array() || list.empty()) {
    throw Error(ErrorKind::config, config.place("problem"), "there are no problems", "Write [[problem]] tables");
  }
  std::vector<ArenaProblem> all;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    all.push_back(read_problem(config, i));
    if (std::count(names.begin(), names.end(), all.back().name) > 0) {
      throw Error(ErrorKind::config, config.place(fmt::format("problem[{}].name", i)),
                  fmt::format("'{}' is the name of two problems", all.back().name), "Give each a name of its own");
    }
    names.push_back(all.back().name);
    auto& budget = all.back().budget;
    budget = std::max<std::int64_t>(1, std::llround(options.budget_share * static_cast<double>(budget)));
  }
  if (options.problems.empty()) return all;
  for (const auto& name : options.problems) {
    if (std::count(names.begin(), names.end(), name) > 0) continue;
    throw Error(ErrorKind::config, config.place("problems"), fmt::format("there is no problem '{}' in the file", name),
                base::suggestion(name, names));
  }
  std::erase_if(all, [&](const ArenaProblem& one) {
    return std::count(options.problems.begin(), options.problems.end(), one.name) == 0;
  });
  return all;
}

ArenaPlan read_plan(const config::Config& config) {
  ArenaPlan plan;
  plan.content = config.values;
  Json header = config.values;
  header.erase("problem");
  header.erase("quick");
  ArenaOptions::table().read(header, plan.options, {&config, ""});
  for (const auto& method : plan.options.methods) find_method(method, config.place("methods"));
  plan.problems = read_problems(config, plan.options);
  empty_record(plan);  // plans a run of every method on every problem
  return plan;
}

}  // namespace

const OptionTable<ArenaProblem>& ArenaProblem::table() {
  static const auto table = [] {
    using O = ArenaProblem;
    OptionTable<O> t;
    t.add("name", &O::name, "of its folder and its rows");
    t.add("problem", &O::problem, "which problem; `moblo list problems`");
    t.add("budget", &O::budget, "gradients of a run, a second-order product counted as two", within(1, 1e9));
    t.add("evaluate_every", &O::evaluate_every, "iterations between two evaluations", at_least(0));
    t.add("refit_steps", &O::refit_steps, "lower steps of the refit, which the budget does not count", at_least(1));
    t.add("alpha", &O::alpha, "bounds of alpha's step size", above(0));
    t.add("omega", &O::omega, "bounds of omega's step size", above(0));
    t.add("lower", &O::lower, "bounds of the lower loop's step size", above(0));
    t.add("score", &O::score, "weights of distance, losses[i] or metrics; lower is better");
    t.add("choice", &O::choice, "the same, by which step sizes are chosen; empty = score");
    t.add("refit", &O::refit, "the same, of the refitted model; empty = score");
    t.add("offset", &O::offset, "added to all three");
    t.add("resolution", &O::resolution, "scores at or below it count as equal", above(0));
    t.add("common", &O::common, "options for every method that has them");
    t.add("settings", &O::settings, "further options of the runs, as in an experiment file");
    return t;
  }();
  return table;
}

void ArenaProblem::refuse_contradictions(const OptionPlace& place) const {
  if (!is_plain(name)) {
    refuse(place, "name", fmt::format("'{}' cannot name a folder", name), "Write a-z, 0-9, _ and - only");
  }
  if (problem.empty()) refuse(place, "problem", "is missing", "`moblo list problems` shows what there is");
  if (score.empty()) refuse(place, "score", "is missing", "Write for example score = { distance = 1 }");
  refuse_bad_bounds(alpha, place, "alpha");
  refuse_bad_bounds(omega, place, "omega");
  refuse_bad_bounds(lower, place, "lower");
}

const OptionTable<ArenaOptions>& ArenaOptions::table() {
  static const auto table = [] {
    using O = ArenaOptions;
    OptionTable<O> t;
    t.add("title", &O::title, "what it is");
    t.add("cost", &O::cost, "time and memory it takes");
    t.add("shows", &O::shows, "what one should see");
    t.add("methods", &O::methods, "that are compared");
    t.add("problems", &O::problems, "those of the file that are wanted; empty = all");
    t.add("candidates", &O::candidates, "step sizes that each method tries on each problem", within(1, 1000));
    t.add("selection_seed", &O::selection_seed, "on which the step sizes are chosen", within(0, 1e15));
    t.add("seeds", &O::seeds, "on which they are judged", within(0, 1e15));
    t.add("budget_share", &O::budget_share, "of every budget", above(0));
    t.add("omega_options", &O::omega_options, "options of methods that take omega's step size");
    t.add("lower_options", &O::lower_options, "options of methods that take the lower loop's step size");
    return t;
  }();
  return table;
}

void ArenaOptions::refuse_contradictions(const OptionPlace& place) const {
  const auto twice = [](const auto& values) { return std::set(values.begin(), values.end()).size() < values.size(); };
  if (methods.empty() || twice(methods)) refuse(place, "methods", "is not a list of distinct methods", "Name some");
  const bool whole = std::all_of(seeds.begin(), seeds.end(), [](double seed) { return seed == std::floor(seed); });
  if (seeds.empty() || !whole || twice(seeds)) {
    refuse(place, "seeds", "is not a list of distinct whole numbers", "Write for example seeds = [1, 2, 3]");
  }
  if (std::count(seeds.begin(), seeds.end(), static_cast<double>(selection_seed)) > 0) {
    refuse(place, "seeds", fmt::format("has {}, on which the step sizes are chosen", selection_seed),
           "Judge on other seeds than selection_seed");
  }
}

ArenaPlan plan_arena(const config::Config& original, bool quick) {
  config::Config config = original;
  apply_quick(config, quick);
  config.values.erase("quick");
  return read_plan(config);
}

StepSizes step_sizes(const ArenaProblem& problem, std::size_t index) {
  return {between(problem.alpha, radical_inverse(index + 1, 2)), between(problem.omega, radical_inverse(index + 1, 3)),
          between(problem.lower, radical_inverse(index + 1, 5))};
}

RunPlan plan_cell(const ArenaPlan& arena, const ArenaProblem& problem, const std::string& method, std::size_t candidate,
                  std::uint64_t seed) {
  const config::Config config(
      cell_config(arena, problem, find_method(method, arena.name), step_sizes(problem, candidate)),
      fmt::format("the arena's run of {} on {}", method, problem.name));
  RunPlan run = plan_experiment(config, {seed}).runs.at(0);
  run.group = fmt::format("{} {}", problem.name, method);
  run.name = fmt::format("{} steps {} seed {}", run.group, candidate, seed);
  run.folder = fmt::format("cells/{}/{}/steps-{}-seed-{}", problem.name, method, candidate, seed);
  return run;
}

report::ArenaRecord empty_record(const ArenaPlan& plan) {
  report::ArenaRecord record;
  record.title = plan.options.title;
  record.methods = plan.options.methods;
  record.selection_seed = plan.options.selection_seed;
  for (const double seed : plan.options.seeds) record.seeds.push_back(static_cast<std::int64_t>(seed));
  for (const auto& problem : plan.problems) {
    record.problems.push_back({problem.name, problem.joint_score().text(), problem.budget, problem.resolution});
    for (const auto& method : plan.options.methods) {
      report::ArenaRecord::Cell cell;
      try {
        plan_cell(plan, problem, method, 0, 0);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::problem) throw;
        cell.unsuitable = error.what();
      }
      record.cells.push_back(std::move(cell));
    }
  }
  return record;
}

void write_arena_plan(const std::filesystem::path& folder, const ArenaPlan& plan) {
  Json json{{"format", arena_plan_format}, {"version", 1}, {"name", plan.name}};
  json["arena"] = plan.content;
  records::write_document(folder / arena_plan_file, json);
}

std::optional<ArenaPlan> read_arena_plan(const std::filesystem::path& folder) {
  std::optional<ArenaPlan> plan;
  if (!records::is_present(folder / arena_plan_file)) return plan;
  records::read_document(folder / arena_plan_file, [&](const Json& json) {
    static const std::string what = "plan of an arena";
    const records::Fields fields(json, what);
    if (fields.text("format") != arena_plan_format) fields.refuse("format", "is another one");
    plan = read_plan(config::Config(fields.at("arena"), (folder / arena_plan_file).string()));
    plan->name = fields.text("name");
  });
  return plan;
}

}  // namespace moblo::lab::experiments
