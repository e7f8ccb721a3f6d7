#include <fmt/format.h>

#include <memory>

#include "lab/clean/fit.hpp"
#include "lab/clean/judges.hpp"
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

TensorDataset part_of(const LabelledInputs& samples, const std::vector<std::int64_t>& rows) {
  const auto chosen = torch::tensor(rows, torch::kInt64);
  return {samples.inputs.index_select(0, chosen), torch::tensor(samples.labels, torch::kInt64).index_select(0, chosen)};
}

problems::CleaningTask cleaning_task(const FoldWork& work) {
  problems::CleaningTask out;
  out.name = work.task.name;
  out.classes = static_cast<int>(work.task.classes.size());
  out.train = part_of(work.task.noisy, work.noisy);
  out.upper = part_of(work.task.trusted, work.trusted);
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

void refuse_bad_end(const Summary& summary, const std::string& name) {
  if (summary.status == RunStatus::interrupted) throw Interrupted{};
  if (succeeded(summary.status)) return;
  throw Error(ErrorKind::numeric, fmt::format("the bi-level run on {}", name),
              fmt::format("ended as {}: {}", base::name(summary.status), summary.message),
              "Leave the judge `bilevel` out, or look for values in the data that are far larger than the others");
}

/// (weight, bias) of the shared layers, then of the task's head.
nets::DenseClassifier network_of(problems::HyperCleaning& problem, std::size_t task, std::size_t layers) {
  const auto& leaves = problem.lower().leaves();
  std::vector<torch::Tensor> parameters(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(2 * layers));
  const std::size_t head = 2 * (layers + task);
  parameters.insert(parameters.end(), {leaves[head], leaves[head + 1]});
  return nets::DenseClassifier(parameters);
}

/// The network that has learned from the weighted noisy labels.
JobResult learn_bilevel(const FoldWork& work, Monitor& monitor) {
  const torch::AutoGradMode with_gradients(true);
  problems::HyperCleaningOptions network;
  network.hidden.assign(work.options.hidden.begin(), work.options.hidden.end());
  network.batch = work.options.batch;
  const auto problem = made_problem({cleaning_task(work)}, network, derive_seed(work.seed, "bilevel"));
  const auto preset = fast_preset();
  const auto method = make_method(preset.method, preset.method_options);
  StepCounter counter(monitor);
  const auto summary = train(*problem, *method, unwatched(preset.training, work.options.bilevel_iterations),
                             {{&counter}, monitor.stop_requested(), nullptr});
  refuse_bad_end(summary, work.task.name);
  JobResult result;
  put_network(result, "network", network_of(*problem, 0, work.options.hidden.size()));
  return result;
}

}  // namespace

Judge bilevel_judge() {
  Judge judge;
  judge.name = "bilevel";
  judge.sentence = "FORUM's bi-level network";
  judge.learns_from = "trusted + noisy";
  judge.steps = [](const FoldWork& work) { return work.options.bilevel_iterations; };
  judge.learn = learn_bilevel;
  judge.chances = [](const JobResult& model, const torch::Tensor& inputs) {
    return class_chances(network_in(model, "network"), inputs);
  };
  judge.possible = [](const CleanTask& task) { return task.trusted.size() > 0; };
  judge.by_default = false;
  return judge;
}

}  // namespace moblo::lab::clean
