#include "lab/problems/multitask.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/nets/initial_weights.hpp"
#include "lab/problems/task_scores.hpp"
#include "moblo/gradients/gradient_check.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"

namespace moblo::lab::problems {
namespace {

torch::Tensor waves(std::vector<std::int64_t> shape, double from) {
  std::int64_t count = 1;
  for (const auto side : shape) count *= side;
  return (torch::arange(count, torch::kFloat64) * 0.9 + from).sin().view(shape).to(torch::kFloat32);
}

/// 60 samples of four numbers, a regression and a classification in three classes of each.
TensorDataset samples(std::int64_t count, double from) {
  const auto inputs = waves({count, 4}, from);
  const auto value = inputs.select(1, 0) - inputs.select(1, 1);
  const auto label = (inputs.select(1, 2).gt(0).to(torch::kInt64) + inputs.select(1, 3).gt(0.5).to(torch::kInt64));
  return {inputs, torch::stack({value, label.to(torch::kFloat32)}, 1)};
}

Task value_task() {
  return regression_task("value", 0, 2.0);
}

Task class_task() {
  auto task = classification_task("class", 1);
  const auto loss = task.loss;
  task.loss = [loss](const torch::Tensor& outputs, const torch::Tensor& targets) {
    return loss(outputs, targets.to(torch::kInt64));
  };
  return task;
}

std::unique_ptr<nets::TaskNetwork> dense(const std::vector<std::size_t>& tasks, std::uint64_t seed) {
  Rng rng(seed);
  torch::nn::Linear trunk(4, 6);
  nets::draw_weights(*trunk, rng);
  std::vector<std::int64_t> outputs;
  for (const auto task : tasks) outputs.push_back(task == 0 ? 1 : 3);
  return nets::assemble(torch::nn::AnyModule(trunk), nets::linear_heads(6, outputs, rng));
}

std::unique_ptr<Multitask> shared_inputs(MultitaskOptions options = {}) {
  options.batch = 16;
  MultitaskData data{.train = {samples(60, 0.1)},
                     .validation = {samples(20, 5)},
                     .select = {samples(20, 9)},
                     .test = {samples(30, 14)}};
  return std::make_unique<Multitask>(std::vector<Task>{value_task(), class_task()}, std::move(data), dense, options, 3);
}

MultitaskOptions with(Networks networks, Dtype dtype = Dtype::f64) {
  MultitaskOptions options;
  options.networks = networks;
  options.dtype = dtype;
  return options;
}

TEST(Multitask, SharedParametersComeFirst) {
  const auto problem = shared_inputs();
  EXPECT_EQ(problem->shared_columns(), 4 * 6 + 6);
  EXPECT_EQ(problem->lower().dense_size(), 30 + (6 + 1) + (18 + 3));
  EXPECT_EQ(shared_inputs(with(Networks::separate))->shared_columns(), 0);
}

TEST(Multitask, TheLowerLossWeighsByTheSoftmaxOfAlpha) {
  const auto problem = shared_inputs(with(Networks::shared));
  problem->upper().values().copy_(torch::tensor({0.5, -0.25}, torch::kFloat64));
  const Batch batch = problem->lower_batches().at(0);
  const auto losses = problem->upper_losses(batch);
  const double first = 1 / (1 + std::exp(-0.75));
  const double expected = first * losses[0].item().toDouble() + (1 - first) * losses[1].item().toDouble();
  EXPECT_NEAR(problem->lower_loss(batch).item().toDouble(), expected, 1e-12);
}

TEST(Multitask, GradientsAgreeWithFiniteDifferences) {
  for (const auto networks : {Networks::shared, Networks::separate}) {
    const auto problem = shared_inputs(with(networks));
    const auto report = check_gradients(*problem);
    EXPECT_TRUE(report.passed) << report.largest_error;
  }
}

TEST(Multitask, EvaluatesEveryTaskOnBothParts) {
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : shared_inputs()->evaluate()) metrics[name] = value;
  for (const auto* name : {"select MAE / value", "select accuracy / class", "test MAE / value", "test accuracy / class",
                           "select loss", "test loss"}) {
    EXPECT_TRUE(metrics.contains(name)) << name;
  }
}

TEST(Multitask, TrainingSamplesMayIncludeTheValidationSet) {
  MultitaskOptions both;
  both.training = TrainingSamples::train_and_validation;
  EXPECT_EQ(shared_inputs()->lower_batches().epoch_length(), 4);      // 60 samples
  EXPECT_EQ(shared_inputs(both)->lower_batches().epoch_length(), 5);  // 80
}

std::vector<double> trained(Multitask& problem, const std::string& method, const Json& options = Json::object()) {
  TrainingOptions training;
  training.iterations = 40;
  training.optimiser.alpha.step_size = training.optimiser.omega.step_size = 0.1;
  const auto made = make_method(method, find_method(method, "test").resolve(options, {}));
  const auto summary = train(problem, *made, training, {});
  EXPECT_EQ(summary.status, RunStatus::completed) << method << ": " << summary.message;
  std::vector<double> losses;
  for (const auto& loss : problem.upper_losses(problem.lower_batches().at(0))) losses.push_back(loss.item().toDouble());
  return losses;
}

TEST(Multitask, SeparateNetworksTrainAsIfAlone) {
  const auto together = shared_inputs(with(Networks::separate));
  trained(*together, "stl");
  // The same network, data and batches with the second task's loss switched off.
  MultitaskData data{.train = {samples(60, 0.1)}, .validation = {samples(20, 5)}, .select = {}, .test = {}};
  auto options = with(Networks::separate);
  options.batch = 16;
  auto silent = class_task();
  silent.loss = [](const torch::Tensor& outputs, const torch::Tensor&) { return outputs.sum() * 0; };
  Multitask alone({value_task(), silent}, std::move(data), dense, options, 3);
  trained(alone, "stl");
  const std::int64_t own = 30 + 7;
  EXPECT_TRUE(torch::equal(together->lower().values().narrow(0, 0, own), alone.lower().values().narrow(0, 0, own)));
}

TEST(Multitask, EveryBilevelMethodLowersBothLosses) {
  for (const std::string method : {"forum", "moml", "moco", "bome", "bvfim", "autolambda", "morbit"}) {
    const auto problem = shared_inputs(with(Networks::shared));
    const auto before = problem->upper_losses(problem->lower_batches().at(0));
    const Json options =
        method == "bvfim" ? Json{{"inner_steps", 2}} : Json{{"inner_steps", 2}, {"inner_step_size", 0.05}};
    const auto after = trained(*problem, method, options);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(after[i], before[i].item().toDouble()) << method << ", task " << i;
  }
}

TEST(Multitask, ADatasetATaskGoesThroughTheTrunkAsOneBatch) {
  MultitaskData data{.train = {samples(40, 0.1), samples(24, 2)},
                     .validation = {samples(10, 5), samples(10, 6)},
                     .select = {},
                     .test = {samples(10, 7), samples(12, 8)}};
  auto options = with(Networks::shared);
  options.batch = 8;
  Multitask problem({value_task(), class_task()}, std::move(data), dense, options, 3);
  const Batch batch = problem.lower_batches().at(0);
  ASSERT_EQ(batch.parts.size(), 2U);
  const auto losses = problem.upper_losses(batch);
  Batch only_first = batch;  // the other task's samples change nothing where the trunk has no batch norm
  only_first.inputs = batch.inputs.clone();
  only_first.inputs.narrow(0, 8, 8).zero_();
  EXPECT_EQ(problem.upper_losses(only_first)[0].item().toDouble(), losses[0].item().toDouble());
  EXPECT_NE(problem.upper_losses(only_first)[1].item().toDouble(), losses[1].item().toDouble());
}

}  // namespace
}  // namespace moblo::lab::problems
