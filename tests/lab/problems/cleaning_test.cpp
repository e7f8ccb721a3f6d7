#include "lab/problems/cleaning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include "lab/problems/registry.hpp"
#include "moblo/base/error.hpp"
#include "moblo/gradients/gradient_check.hpp"
#include "moblo/gradients/hypergradient.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/training.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::problems {
namespace {

class HyperCleaningTest : public ::testing::Test {
 protected:
  HyperCleaningTest() { readers::testing::make_data_directory(folder_.path()); }

  /// Small enough to train in a blink.
  HyperCleaningOptions small() const {
    HyperCleaningOptions options;
    options.data = folder_.path().string();
    options.train = 120, options.upper = 50, options.select = 40, options.test = 60;
    options.hidden = {16, 12};
    options.batch = 20;
    return options;
  }

  readers::testing::TemporaryFolder folder_;
};

TEST_F(HyperCleaningTest, ShapesAreTheNetworksAndOneWeightASample) {
  auto options = small();
  HyperCleaning problem(options, 0);
  EXPECT_EQ(problem.upper().size(), 240);
  EXPECT_EQ(problem.lower().size(), 17 * 16 + 17 * 12 + 2 * 13 * 10);
  options.extra_layers = 2;
  HyperCleaning deeper(options, 0);
  EXPECT_EQ(deeper.lower().size() - problem.lower().size(), 2 * 17 * 16);
}

TEST_F(HyperCleaningTest, WeightsMayStartAtTheTruth) {
  auto options = small();
  options.weights = StartingWeights::truth;
  HyperCleaning problem(options, 0);
  const auto evaluation = problem.evaluate();
  const std::map<std::string, double> metrics(evaluation.begin(), evaluation.end());
  for (const auto& task : problem.tasks()) {
    EXPECT_EQ(metrics.at("detection AUC / " + task.name), 1);
    EXPECT_EQ(metrics.at("detection F1 / " + task.name), 1);
  }
  auto unknown = problem.tasks();
  for (auto& task : unknown) task.wrong.clear();
  EXPECT_THROW(HyperCleaning(unknown, options, 0), Error);
}

TEST_F(HyperCleaningTest, ThePapersNetworkHas538388Parameters) {
  auto options = small();
  options.hidden = {512, 256};
  HyperCleaning problem(options, 0);
  EXPECT_EQ(problem.lower().size(), 538388 - (784 - 16) * 512);  // made images have 16 pixels, not 784
}

/// Pixels are kept as bytes; a caller's samples are numbers.
TEST_F(HyperCleaningTest, BytesAreTheSameProblemAsTheirNumbers) {
  HyperCleaning bytes(small(), 1);
  auto tasks = bytes.tasks();
  for (auto& task : tasks) {
    ASSERT_EQ(task.train.inputs.scalar_type(), torch::kUInt8);
    for (auto* part : {&task.train, &task.upper, &task.select, &task.test}) {
      part->inputs = numbers_of(part->inputs, torch::kFloat32);
    }
  }
  HyperCleaning numbers(tasks, small(), 1);
  const auto trained = [](HyperCleaning& problem) {
    for (std::int64_t t = 0; t < 5; ++t) problem.descend(problem.lower_batches().at(t), problem.lower().values(), 0.1);
    return torch::stack(problem.upper_losses(problem.upper_batches().at(0)));
  };
  const auto expected = trained(bytes);
  EXPECT_TRUE(torch::equal(trained(numbers), expected));
  EXPECT_TRUE(torch::equal(numbers.lower().values(), bytes.lower().values()));
  EXPECT_EQ(numbers.evaluate(), bytes.evaluate());
  EXPECT_EQ(numbers.sample_outcomes()[1].pictures[0].png, bytes.sample_outcomes()[1].pictures[0].png);
}

TEST_F(HyperCleaningTest, GradientsAgreeWithFiniteDifferences) {
  auto options = small();
  options.dtype = Dtype::f64;
  HyperCleaning problem(options, 1);
  const auto report = check_gradients(problem);
  EXPECT_TRUE(report.passed) << report.largest_error;
  EXPECT_GT(report.compared, 100);
}

/// The same problem without the derivatives it has by hand: autograd's turn.
class ByAutograd : public BilevelProblem {
 public:
  explicit ByAutograd(HyperCleaning& problem) : problem_(problem) {}
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override { return problem_.upper_losses(batch); }
  torch::Tensor lower_loss(const Batch& batch) override { return problem_.lower_loss(batch); }
  ParameterPack& upper() override { return problem_.upper(); }
  ParameterPack& lower() override { return problem_.lower(); }
  BatchStream& upper_batches() override { return problem_.upper_batches(); }
  BatchStream& lower_batches() override { return problem_.lower_batches(); }

 private:
  HyperCleaning& problem_;
};

struct ThroughTheLoop {
  torch::Tensor reached, hypergradients;
  double start_loss;
};

ThroughTheLoop differentiate(BilevelProblem& problem, HypergradientMode mode) {
  problem.lower_batches().seek(0);
  problem.upper_batches().seek(0);
  gradients::HypergradientSolve solve;
  solve.inner.steps = 5;
  solve.inner.step_size = 0.4;
  solve.mode = mode;
  gradients::GradientMatrix matrix;
  PhaseTimer timer;
  const problem::SlicesOpen slices(problem.upper());
  const auto found = gradients::hypergradients(problem, solve, 2, matrix, timer);
  return {found.reached, torch::stack({matrix.row(0), matrix.row(1)}).clone(), found.lower_loss};
}

TEST_F(HyperCleaningTest, DerivativesByHandAreAutograds) {
  for (const std::int64_t extra_layers : {0, 2}) {
    auto options = small();
    options.dtype = Dtype::f64;
    options.extra_layers = extra_layers;
    HyperCleaning by_hand(options, 3);
    for (auto& table : by_hand.upper().tables()) table.values.copy_(torch::linspace(-2, 3, 120, torch::kFloat64));
    ByAutograd by_autograd(by_hand);
    ASSERT_NE(LowerKernel::of(by_hand), nullptr);
    ASSERT_EQ(LowerKernel::of(by_autograd), nullptr);
    for (const auto mode : {HypergradientMode::reverse, HypergradientMode::checkpointed}) {
      const auto a = differentiate(by_hand, mode), b = differentiate(by_autograd, mode);
      EXPECT_NEAR(a.start_loss, b.start_loss, 1e-12);
      EXPECT_LT((a.reached - b.reached).abs().max().item().toDouble(), 1e-13);
      const double size = b.hypergradients.abs().max().item().toDouble();
      EXPECT_GT(size, 1e-6);
      EXPECT_LT((a.hypergradients - b.hypergradients).abs().max().item().toDouble(), 1e-12 * size);
    }
  }
}

/// Through the products of the inputs instead of the first layer's weights, and without where there are few steps.
TEST_F(HyperCleaningTest, RepeatedStepsOnOneBatchAreTheStepsOneByOne) {
  for (const auto& [hidden, steps] : {std::pair{std::vector<double>{12}, 30}, {{16, 8}, 30}, {{16, 8, 8}, 3}}) {
    auto options = small();
    options.dtype = Dtype::f64;
    options.hidden = hidden;
    options.batch = 5;
    HyperCleaning problem(options, 3);
    const Batch batch = problem.lower_batches().at(1);
    ASSERT_LT(batch.inputs.size(0), batch.inputs.size(1));
    auto one_by_one = problem.lower().values().clone(), repeated = one_by_one.clone(), cut = one_by_one.clone();
    std::vector<double> losses;
    std::vector<torch::Tensor> ways;
    for (int t = 0; t < steps; ++t) {
      losses.push_back(problem.descend(batch, one_by_one, 0.3));
      ways.push_back(one_by_one.clone());
    }
    EXPECT_EQ(problem.descend_repeatedly(batch, repeated, 0.3, steps, 1e9), steps);
    EXPECT_LT((one_by_one - repeated).abs().max().item().toDouble(), 1e-12) << hidden.size();
    ASSERT_LT(losses[2], losses[0]);
    // Steps of 30 climb: as many as begin below the limit.
    auto climbing = cut.clone(), climbed = cut.clone();
    const double limit = 2 * losses[0];
    std::int64_t begun = 0;
    for (auto before = climbing.clone(); begun < steps && problem.descend(batch, climbing, 30) <= limit; ++begun) {
      before = climbing.clone();
    }
    ASSERT_GT(begun, 0);
    ASSERT_LT(begun, steps);
    EXPECT_EQ(problem.descend_repeatedly(batch, climbed, 30, steps, limit), begun);
    EXPECT_EQ(problem.descend_repeatedly(batch, cut, 0.3, steps, losses[0] * 0.999999), 0);
    EXPECT_TRUE(torch::equal(cut, problem.lower().values())) << "the first loss is above the limit: no step";
  }
}

/// f written as the paper has it, dataset by dataset, sample by sample.
TEST_F(HyperCleaningTest, LowerLossIsTheWeightedCrossEntropyOfEachDatasetAlone) {
  auto options = small();
  options.dtype = Dtype::f64;
  HyperCleaning problem(options, 2);
  for (auto& table : problem.upper().tables()) table.values.copy_(torch::linspace(-2, 3, 120, torch::kFloat64));
  const Batch batch = problem.lower_batches().at(3);
  double expected = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& part = batch.parts[i];
    const auto chance = torch::softmax(problem.predict(part.inputs, i), 1);
    for (std::int64_t j = 0; j < 20; ++j) {
      const double alpha = -2 + 5.0 * static_cast<double>(part.indices[j].item().toLong()) / 119;
      expected -= std::log(chance[j][part.targets[j]].item().toDouble()) / (1 + std::exp(-alpha)) / 20;
    }
  }
  EXPECT_NEAR(problem.lower_loss(batch).item().toDouble(), expected, 1e-12);
}

TEST_F(HyperCleaningTest, StepsTouchOnlyTheWeightsOfTheirBatches) {
  HyperCleaning problem(small(), 0);
  Forum forum({.inner_steps = 2, .inner_step_size = 0.1, .inner_batches = InnerBatches::one});
  TrainingOptions training;
  training.iterations = 3;
  std::set<std::int64_t> seen;
  for (std::int64_t k = 0; k < 3; ++k) {
    const auto indices = problem.lower_batches().at(k).parts[0].indices;
    seen.insert(indices.data_ptr<std::int64_t>(), indices.data_ptr<std::int64_t>() + indices.numel());
  }
  train(problem, forum, training);
  const auto moved = problem.upper().tables()[0].values.nonzero().view({-1});
  EXPECT_GT(moved.numel(), 0);
  for (std::int64_t i = 0; i < moved.numel(); ++i) EXPECT_TRUE(seen.count(moved[i].item().toLong()));
}

TEST_F(HyperCleaningTest, HalfOfTheLabelsAreWrongAndOnlyOfTheTrainingPart) {
  const HyperCleaning problem(small(), 0);
  for (const auto& task : problem.tasks()) {
    EXPECT_EQ(std::count(task.wrong.begin(), task.wrong.end(), true), 60);
    // The brightest pixel tells the class: see make_dataset.
    const std::int64_t shift = task.name == "mnist" ? 0 : 5;
    const auto truth = [&](const TensorDataset& data) { return torch::remainder(data.inputs.argmax(1) - shift, 16); };
    for (const auto* clean : {&task.upper, &task.select, &task.test}) {
      EXPECT_TRUE(torch::equal(truth(*clean), clean->targets)) << task.name;
    }
    EXPECT_EQ((truth(task.train) != task.train.targets).sum().item().toLong(), 60);
  }
}

TEST_F(HyperCleaningTest, SameSeedSameProblem) {
  HyperCleaning one(small(), 4), same(small(), 4), other(small(), 5);
  EXPECT_TRUE(one.provenance() == same.provenance());
  EXPECT_FALSE(one.provenance() == other.provenance());
  EXPECT_TRUE(torch::equal(one.lower().values(), same.lower().values()));
  EXPECT_FALSE(torch::equal(one.lower().values(), other.lower().values()));
  const Json provenance = one.provenance();
  EXPECT_FALSE(provenance["mnist"]["files"][0]["as_published"].get<bool>());  // made data
}

TEST_F(HyperCleaningTest, MissingDataSaysHowToGetThem) {
  auto options = small();
  options.data = (folder_.path() / "nowhere").string();
  try {
    HyperCleaning problem(options, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_NE(std::string(error.what()).find("moblo data get mnist"), std::string::npos) << error.what();
  }
}

TEST_F(HyperCleaningTest, OptionsThatMakeNoSenseAreRefused) {
  const auto& info = find_problem("hyper_cleaning", "");
  EXPECT_THROW(info.resolve({{"datasets", Json::array()}}, {}), Error);
  EXPECT_THROW(info.resolve({{"datasets", {"mnist", "mnist"}}}, {}), Error);
  EXPECT_THROW(info.resolve({{"datasets", {"minst"}}}, {}), Error);
  EXPECT_THROW(info.resolve({{"hidden", {12.5}}}, {}), Error);
  EXPECT_THROW(info.resolve({{"wrong", 1.5}}, {}), Error);
  auto options = small();
  options.train = 1000;
  EXPECT_THROW(HyperCleaning(options, 0), Error);
}

class Watch : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override {
    if (record.k + 1 == stop_after) stop = true;
  }
  void evaluated(const Evaluation& evaluation) override { evaluations[evaluation.k] = evaluation.metrics; }
  void saved(std::int64_t, const Snapshot& state) override { last = state; }
  void selected(const Snapshot& model) override { chosen = model; }

  std::map<std::int64_t, std::vector<std::pair<std::string, double>>> evaluations;
  Snapshot last, chosen;
  std::int64_t stop_after = -1;
  std::atomic<bool> stop{false};
};

double metric(const std::vector<std::pair<std::string, double>>& metrics, const std::string& name) {
  for (const auto& [key, value] : metrics) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

TrainingOptions selecting(std::int64_t iterations) {
  TrainingOptions options;
  options.iterations = iterations;
  options.evaluate_every = 10;
  options.select = "select accuracy";
  options.optimiser.alpha.step_size = 10;
  options.optimiser.omega.step_size = 0.3;
  return options;
}

const ForumOptions quick_forum{.inner_steps = 2, .inner_step_size = 0.3};

Summary run(HyperCleaning& problem, Watch& watch, std::int64_t iterations, const Snapshot* resume = nullptr) {
  Forum forum(quick_forum);
  return train(problem, forum, selecting(iterations), {{&watch}, &watch.stop, resume});
}

TEST_F(HyperCleaningTest, LearnsTheClassesAndFindsTheWrongLabels) {
  HyperCleaning problem(small(), 0);
  Watch watch;
  run(problem, watch, 600);
  for (const std::string name : {"mnist", "fashion-mnist"}) {
    EXPECT_GT(metric(watch.evaluations.at(600), "test accuracy / " + name), 80);
    EXPECT_GT(metric(watch.evaluations.at(600), "detection AUC / " + name), 0.8);
  }
}

TEST_F(HyperCleaningTest, TheSelectedModelIsTheFirstWithTheLargestMetric) {
  HyperCleaning problem(small(), 1);
  Watch watch;
  const auto summary = run(problem, watch, 200);
  double best = -1;
  std::int64_t best_k = -1;
  for (const auto& [k, metrics] : watch.evaluations) {
    const double value = metric(metrics, "select accuracy");
    if (value > best) best = value, best_k = k;
  }
  const Json& selected = summary.final_state.at("selected");
  EXPECT_EQ(selected.at("k").get<std::int64_t>(), best_k);
  EXPECT_EQ(selected.at("metrics").at("select accuracy").get<double>(), best);

  HyperCleaning again(small(), 1);  // the kept tensors are that model
  for (auto& [name, tensor] : watch.chosen.tensors) {
    if (!name.starts_with("omega/")) continue;
    const auto& names = again.lower().names();
    const auto at = std::find(names.begin(), names.end(), name.substr(6)) - names.begin();
    again.lower().pieces(again.lower().values())[static_cast<std::size_t>(at)].copy_(tensor);
  }
  EXPECT_EQ(metric(again.evaluate(), "test accuracy"), selected.at("metrics").at("test accuracy").get<double>());
}

TEST_F(HyperCleaningTest, ResumedAnywhereItSelectsTheSameModelBitForBit) {
  HyperCleaning whole(small(), 1);
  Watch expected;
  const auto summary = run(whole, expected, 60);
  for (const std::int64_t stop_at : {1, 10, 23, 37, 59}) {  // on an evaluation, and between two
    Watch first, second;
    first.stop_after = stop_at;
    HyperCleaning begun(small(), 1), resumed(small(), 1);
    EXPECT_EQ(run(begun, first, 60).status, RunStatus::interrupted);
    const Snapshot stored = training::to_snapshot(training::to_file(first.last));  // through the bytes of a file
    const auto end = run(resumed, second, 60, &stored);
    EXPECT_EQ(end.final_state.dump(), summary.final_state.dump()) << stop_at;
    ASSERT_EQ(second.chosen.tensors.size(), expected.chosen.tensors.size());
    for (const auto& [name, tensor] : expected.chosen.tensors) {
      EXPECT_TRUE(torch::equal(second.chosen.tensors.at(name), tensor)) << name;
    }
    EXPECT_TRUE(torch::equal(resumed.lower().values(), whole.lower().values()));
  }
}

TEST_F(HyperCleaningTest, SelectingByAnUnknownMetricIsRefusedBeforeTheFirstStep) {
  HyperCleaning problem(small(), 0);
  Forum forum(quick_forum);
  auto options = selecting(10);
  options.select = "select acuracy";
  try {
    train(problem, forum, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(std::string(error.what()).find("Did you mean 'select accuracy'"), std::string::npos) << error.what();
  }
}

TEST(TrainingOptionsTest, SelectingWithoutEvaluationsIsRefused) {
  TrainingOptions options;
  EXPECT_THROW(TrainingOptions::table().read({{"select", "x"}}, options, {}), Error);
}

}  // namespace
}  // namespace moblo::lab::problems
