#include "lab/clean/bilevel.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "lab/clean/preset_files.hpp"
#include "lab/experiments/plan.hpp"
#include "lab/problems/cleaning.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/torch_generator.hpp"
#include "moblo/training/training.hpp"

namespace moblo::lab::clean {
namespace {

class StepCounter : public RunObserver {
 public:
  explicit StepCounter(Monitor& monitor) : monitor_(monitor) {}
  void stepped(const StepRecord&, const StepTiming&) override { monitor_.count(); }

 private:
  Monitor& monitor_;
};

problems::CleaningTask cleaning_task(const CleanTask& task) {
  problems::CleaningTask out;
  out.name = task.name;
  out.classes = static_cast<int>(task.classes.size());
  out.train = {task.noisy.inputs, torch::tensor(task.noisy.labels, torch::kInt64)};
  out.upper = {task.trusted.inputs, torch::tensor(task.trusted.labels, torch::kInt64)};
  return out;
}

/// The file says why these settings.
experiments::RunPlan fast_preset() {
  auto config = config::Config::from_text(std::string(hyper_cleaning_toml), "experiments/hyper_cleaning.toml");
  config.set("preset=fast");
  return experiments::plan_experiment(config).runs.front();
}

/// torch draws the first values of every layer, before ours replace them; other jobs and runs must not see it.
std::unique_ptr<problems::HyperCleaning> made_problem(std::vector<problems::CleaningTask> tasks,
                                                      const problems::HyperCleaningOptions& network,
                                                      std::uint64_t seed) {
  const training::TorchGenerator kept;
  return std::make_unique<problems::HyperCleaning>(std::move(tasks), network, seed);
}

/// Metrics, checkpoints and the refit are for people who look at a run; here nobody does.
TrainingOptions unwatched(const Json& preset, std::int64_t iterations) {
  TrainingOptions training;
  TrainingOptions::table().read(preset, training, {});
  training.iterations = iterations;
  training.checkpoint_every = training.evaluate_every = 0;
  training.select.clear();
  training.refit = RefitStart::off;
  return training;
}

void refuse_bad_end(const Summary& summary, const std::vector<const CleanTask*>& group) {
  if (summary.status == RunStatus::interrupted) throw Interrupted{};
  if (succeeded(summary.status)) return;
  std::vector<std::string> names;
  for (const auto* task : group) names.push_back(task->name);
  throw Error(ErrorKind::numeric, fmt::format("the bi-level run on {}", base::join(names)),
              fmt::format("ended as {}: {}", base::name(summary.status), summary.message),
              "Look for values in the data that are far larger than the others");
}

/// (weight, bias) of the shared layers, then of the task's head.
nets::DenseClassifier network_of(problems::HyperCleaning& problem, std::size_t task, std::size_t layers) {
  const auto& leaves = problem.lower().leaves();
  std::vector<torch::Tensor> parameters(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(2 * layers));
  const std::size_t head = 2 * (layers + task);
  parameters.insert(parameters.end(), {leaves[head], leaves[head + 1]});
  return nets::DenseClassifier(parameters);
}

std::vector<double> weights_of(problems::HyperCleaning& problem, std::size_t task) {
  const torch::NoGradGuard no_grad;
  const auto weights = torch::sigmoid(problem.upper().tables()[task].values).to(torch::kFloat64).contiguous();
  return {weights.data_ptr<double>(), weights.data_ptr<double>() + weights.numel()};
}

}  // namespace

std::vector<std::vector<std::size_t>> groups_of_one_width(const std::vector<CleanTask>& tasks) {
  std::map<std::int64_t, std::vector<std::size_t>> by_width;
  for (std::size_t i = 0; i < tasks.size(); ++i) by_width[tasks[i].width()].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [width, members] : by_width) groups.push_back(std::move(members));
  return groups;
}

std::vector<BilevelEvidence> learn_weights(const std::vector<const CleanTask*>& group, const CleanOptions& options,
                                           Monitor& monitor) {
  const torch::AutoGradMode with_gradients(true);
  std::vector<problems::CleaningTask> tasks;
  for (const auto* task : group) tasks.push_back(cleaning_task(*task));
  problems::HyperCleaningOptions network;
  network.hidden.assign(options.hidden.begin(), options.hidden.end());
  network.batch = options.batch;
  const auto problem = made_problem(std::move(tasks), network, derive_seed(options.seed, "bilevel"));
  const auto preset = fast_preset();
  const auto method = make_method(preset.method, preset.method_options);
  StepCounter counter(monitor);
  const auto summary = train(*problem, *method, unwatched(preset.training, options.bilevel_iterations),
                             {{&counter}, monitor.stop_requested(), nullptr});
  refuse_bad_end(summary, group);
  std::vector<BilevelEvidence> evidence;
  for (std::size_t i = 0; i < group.size(); ++i) {
    evidence.push_back({weights_of(*problem, i), network_of(*problem, i, options.hidden.size())});
  }
  return evidence;
}

JobResult to_result(const std::vector<BilevelEvidence>& evidence) {
  JobResult result;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    put_numbers(result, fmt::format("weights_{}", i), evidence[i].weights);
    put_network(result, fmt::format("network_{}", i), evidence[i].network);
  }
  return result;
}

std::vector<BilevelEvidence> evidence_in(const JobResult& result, const std::vector<const CleanTask*>& group) {
  std::vector<BilevelEvidence> evidence;
  for (std::size_t i = 0; i < group.size(); ++i) {
    evidence.push_back({numbers_in(result, fmt::format("weights_{}", i), group[i]->noisy.labels.size()),
                        network_in(result, fmt::format("network_{}", i))});
  }
  return evidence;
}

}  // namespace moblo::lab::clean
