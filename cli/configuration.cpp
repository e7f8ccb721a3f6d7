#include "cli/configuration.hpp"

#include <fmt/format.h>

#include "lab/config/config.hpp"
#include "lab/config/locate.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {

namespace fs = std::filesystem;

lab::experiments::ExperimentPlan planned(const RunArguments& arguments) {
  if (arguments.file.empty()) {
    throw Error(ErrorKind::usage, "moblo run", "needs an experiment file or --resume",
                "`moblo list experiments` shows those that come with the program");
  }
  lab::config::Config config = lab::config::Config::from_file(arguments.file);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  std::vector<std::uint64_t> seeds;
  if (arguments.seed) seeds = {*arguments.seed};
  if (arguments.seeds) seeds = lab::experiments::parse_seeds(*arguments.seeds);
  auto plan = lab::experiments::plan_experiment(config, seeds);
  plan.record.name = std::filesystem::path(arguments.file).stem().string();
  plan.record.source = arguments.file;
  return plan;
}

lab::experiments::ExperimentPlan planned(const ReproduceArguments& arguments) {
  const auto file = lab::config::find_experiment(arguments.name);
  lab::config::Config config = lab::config::Config::from_file(file);
  // Cells share the machine: one thread each, whatever --jobs is, so that it changes no number.
  if (!config.values.contains("threads")) config.set("threads", 1, "the default of reproduce");
  if (!arguments.protocol.empty()) config.set("preset", arguments.protocol, "--protocol " + arguments.protocol);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  const auto seeds = arguments.seeds ? lab::experiments::parse_seeds(*arguments.seeds) : std::vector<std::uint64_t>();
  auto plan = lab::experiments::plan_experiment(config, seeds, arguments.quick);
  plan.record.name =
      arguments.name + (arguments.protocol.empty() ? "" : "-" + arguments.protocol) + (arguments.quick ? "-quick" : "");
  plan.record.source = file.string();
  if (arguments.jobs) plan.jobs = *arguments.jobs;
  return plan;
}

lab::experiments::FrontPlan planned(const FrontArguments& arguments) {
  if (arguments.file.empty()) {
    throw Error(ErrorKind::usage, "moblo front", "needs an experiment file or --resume",
                "`moblo list experiments` shows those that come with the program");
  }
  lab::config::Config config = lab::config::Config::from_file(arguments.file);
  // As for the cells of `reproduce`: points share the machine, and --jobs must change no number.
  if (!config.values.contains("threads")) config.set("threads", 1, "the default of front");
  for (const auto& assignment : arguments.sets) config.set(assignment);
  if (arguments.points) config.set("front.points", *arguments.points, fmt::format("--points {}", *arguments.points));
  if (arguments.refine) config.set("front.refine", true, "--refine");
  auto plan = lab::experiments::plan_front(config, arguments.seed);
  plan.name = std::filesystem::path(arguments.file).stem().string();
  plan.source = arguments.file;
  return plan;
}

lab::experiments::ArenaPlan planned(const ArenaArguments& arguments) {
  const auto file = arguments.file.empty() ? lab::config::find_experiment("arena") : fs::path(arguments.file);
  lab::config::Config config = lab::config::Config::from_file(file);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  auto plan = lab::experiments::plan_arena(config, arguments.quick);
  plan.name = file.stem().string() + (arguments.quick ? "-quick" : "");
  return plan;
}

Json checked_problem_options(const CheckArguments& arguments) {
  const auto& info = lab::problems::find_problem(arguments.problem, "check-gradients");
  lab::config::Config config;
  config.set(info.name, Json::object(), "check-gradients");
  for (const auto& assignment : arguments.sets) {
    if (!assignment.starts_with(info.name + ".")) {
      throw Error(ErrorKind::usage, fmt::format("--set {}", assignment), "is not an option of the problem",
                  fmt::format("Write {}.option=value; `moblo list problems {}` shows them", info.name, info.name));
    }
    config.set(assignment);
  }
  for (const auto& field : info.fields) {
    if (field.key == "dtype") config.set(info.name + ".dtype", "f64", "check-gradients");
  }
  return info.resolve(config.values[info.name], {&config, info.name});
}

}  // namespace moblo::cli
