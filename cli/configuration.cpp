#include "cli/configuration.hpp"

#include <fmt/format.h>

#include "moblo/base/config.hpp"
#include "moblo/base/error.hpp"
#include "moblo/record/run_folder.hpp"

namespace moblo::cli {

ExperimentPlan planned(const RunArguments& arguments) {
  if (arguments.file.empty()) {
    throw Error(ErrorKind::usage, "moblo run", "needs an experiment file or --resume",
                "`moblo list experiments` shows those that come with the program");
  }
  Config config = Config::from_file(arguments.file);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  std::vector<std::uint64_t> seeds;
  if (arguments.seed) seeds = {*arguments.seed};
  if (arguments.seeds) seeds = parse_seeds(*arguments.seeds);
  auto plan = plan_experiment(config, seeds);
  plan.record.name = std::filesystem::path(arguments.file).stem().string();
  plan.record.source = arguments.file;
  return plan;
}

ExperimentPlan planned(const ReproduceArguments& arguments) {
  const auto file = find_experiment(arguments.name);
  Config config = Config::from_file(file);
  // Cells share the machine: one thread each, whatever --jobs is, so that it changes no number.
  if (!config.values.contains("threads")) config.set("threads", 1, "the default of reproduce");
  if (!arguments.protocol.empty()) config.set("preset", arguments.protocol, "--protocol " + arguments.protocol);
  for (const auto& assignment : arguments.sets) config.set(assignment);
  const auto seeds = arguments.seeds ? parse_seeds(*arguments.seeds) : std::vector<std::uint64_t>();
  auto plan = plan_experiment(config, seeds, arguments.quick);
  plan.record.name =
      arguments.name + (arguments.protocol.empty() ? "" : "-" + arguments.protocol) + (arguments.quick ? "-quick" : "");
  plan.record.source = file.string();
  if (arguments.jobs) plan.jobs = *arguments.jobs;
  return plan;
}

Json checked_problem_options(const CheckArguments& arguments) {
  const auto& info = find_problem(arguments.problem, "check-gradients");
  Config config;
  config.set(info.name, Json::object(), "check-gradients");
  for (const auto& assignment : arguments.sets) {
    if (!assignment.starts_with(info.name + ".")) {
      throw Error(ErrorKind::usage, fmt::format("--set {}", assignment), "is no option of the problem",
                  fmt::format("Write {}.option=value; `moblo list problems {}` shows them", info.name, info.name));
    }
    config.set(assignment);
  }
  for (const auto& field : info.fields) {
    if (field.key == "dtype") config.set(info.name + ".dtype", "f64", "check-gradients");
  }
  return info.resolve(config.values[info.name], {&config, info.name});
}

void refuse_bad_configuration(const Arguments& arguments) {
  if (arguments.verb == "run" && arguments.run.resume.empty()) planned(arguments.run);
  if (arguments.verb == "clean" && !arguments.clean.paper) {
    parse_test_sources(arguments.clean.sources, parse_noisy_sources(arguments.clean.sources));
  }
  if (arguments.verb == "check-gradients") checked_problem_options(arguments.check);
}

}  // namespace moblo::cli
