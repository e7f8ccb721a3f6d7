#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/experiments/plan.hpp"
#include "lab/report/arena_record.hpp"
#include "lab/report/arena_score.hpp"
#include "moblo/base/options.hpp"

namespace moblo::lab::experiments {

/// One problem of an arena: how long a run is, how it is scored, and between which bounds step sizes are tried.
struct ArenaProblem {
  std::string name, problem;
  std::int64_t budget = 10000;
  std::int64_t evaluate_every = 50, refit_steps = 500;
  std::vector<double> alpha{0.01, 1}, omega{0.01, 1}, lower{0.01, 1};
  std::map<std::string, double> score, choice, refit;
  double offset = 0, resolution = 1e-6;
  Json common = Json::object(), settings = Json::object();

  static const OptionTable<ArenaProblem>& table();
  void refuse_contradictions(const OptionPlace& place) const;

  report::ArenaScore joint_score() const { return {offset, score}; }
  report::ArenaScore choice_score() const { return {offset, choice.empty() ? score : choice}; }
  report::ArenaScore refit_score() const { return {offset, refit.empty() ? score : refit}; }
};

/// What stands above the problems of an arena file.
struct ArenaOptions {
  std::string title, cost, shows;
  std::vector<std::string> methods, problems;
  std::int64_t candidates = 4, selection_seed = 0;
  std::vector<double> seeds{1, 2, 3};
  double budget_share = 1;
  std::vector<std::string> omega_options{"model_step_size"}, lower_options{"inner_step_size", "system_step_size"};

  static const OptionTable<ArenaOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

struct StepSizes {
  double alpha, omega, lower;
};

struct ArenaPlan {
  std::string name;
  Json content;  ///< the file, with [quick] laid over it where that was asked for
  ArenaOptions options;
  std::vector<ArenaProblem> problems;  ///< those that are wanted, with their budgets
};

/// Reads an arena file and checks every run that it may lead to, as far as that is possible without data.
ArenaPlan plan_arena(const config::Config& config, bool quick);

/// Candidate `index` of a problem: the Halton sequence in bases 2, 3 and 5, spread evenly over the logarithms. The same
/// for all methods; more candidates leave the first ones as they are.
StepSizes step_sizes(const ArenaProblem& problem, std::size_t index);

/// A method's run on a problem. Error(problem) where it does not suit it.
RunPlan plan_cell(const ArenaPlan& arena, const ArenaProblem& problem, const std::string& method, std::size_t candidate,
                  std::uint64_t seed);

/// Of no runs yet; `unsuitable` is filled in.
report::ArenaRecord empty_record(const ArenaPlan& plan);

void write_arena_plan(const std::filesystem::path& folder, const ArenaPlan& plan);
/// Empty where the folder has no arena_plan.json.
std::optional<ArenaPlan> read_arena_plan(const std::filesystem::path& folder);

}  // namespace moblo::lab::experiments
