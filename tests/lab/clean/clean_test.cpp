#include "lab/clean/clean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "lab/clean/bilevel.hpp"
#include "lab/clean/clean_files.hpp"
#include "lab/clean/model_file.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean {
namespace {

/// Classes are rings of blobs in the first two columns, too curved for few samples; the third column is constant, the
/// fourth noise on a large scale.
data::NoisyDataset made_blobs(const std::string& name, std::int64_t samples, std::int64_t trusted, std::uint64_t seed,
                              int classes = 3) {
  data::NoisyDataset data;
  data.name = name;
  data.shape = {4};
  for (int c = 0; c < classes; ++c) data.classes.push_back(std::string(1, static_cast<char>('A' + c)));
  Rng rng(seed);
  for (std::int64_t j = 0; j < samples; ++j) {
    const auto blob = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(3 * classes)));
    const double angle = 6.2831853 * static_cast<double>(blob) / (3 * classes);
    data.inputs.push_back(static_cast<float>(3 * std::cos(angle) + 0.45 * rng.normal()));
    data.inputs.push_back(static_cast<float>(3 * std::sin(angle) + 0.45 * rng.normal()));
    data.inputs.push_back(7);
    data.inputs.push_back(static_cast<float>(1000 + 100 * rng.normal()));
    data.labels.push_back(blob % classes);
    data.trusted.push_back(j < trusted);
    data.ids.push_back(std::to_string(j));
  }
  return data;
}

CleanOptions small_options() {
  CleanOptions options;
  options.folds = 3, options.steps = 400, options.epochs = 1, options.bilevel_iterations = 100;
  options.hidden = {64, 32};
  options.dropout = 0.1;
  return options;
}

CleanTask blob_task(const std::string& name, std::uint64_t seed, double wrong) {
  auto task = make_clean_task(made_blobs(name, 1500, 60, seed), seed);
  add_test_set(task, made_blobs(name, 1000, 1000, seed + 100));
  inject_wrong_labels(task, wrong, seed);
  return task;
}

/// Most of class A is called B, a third of C is called A: what labels say most often is not what is true.
CleanTask misled_task(std::uint64_t seed) {
  auto task = blob_task("blobs", seed, 0);
  Rng rng(seed);
  for (std::size_t j = 0; j < task.noisy.labels.size(); ++j) {
    auto& label = task.noisy.labels[j];
    const bool moved = rng.uniform() < (label == 0 ? 0.6 : label == 2 ? 0.33 : 0);
    (*task.wrong)[j] = moved;
    if (moved) label = label == 0 ? 1 : 0;
  }
  return task;
}

std::string samples_of(const Cleaned& cleaned) {
  return samples_csv(cleaned.findings, false);
}

TEST(CleanTaskTest, ColumnsAreStandardisedAndConstantOnesVanish) {
  const auto task = make_clean_task(made_blobs("blobs", 500, 60, 1), 1);
  const auto all = torch::cat({task.noisy.inputs, task.trusted.inputs, task.held_out.inputs});
  EXPECT_LT(all.mean(0).abs().max().item().toDouble(), 1e-4);
  EXPECT_EQ(all.select(1, 2).abs().max().item().toDouble(), 0);
  EXPECT_NEAR(all.square().sum(1).mean().item().toDouble(), 100, 1e-2);
  EXPECT_NEAR(all.select(1, 0).std().item().toDouble(), all.select(1, 3).std().item().toDouble(), 1e-3);
}

TEST(CleanTaskTest, PartsShareNothingAndTrustedAreHalvedByClass) {
  const auto task = make_clean_task(made_blobs("blobs", 500, 60, 1), 1);
  EXPECT_EQ(task.noisy.size(), 440);
  EXPECT_EQ(task.trusted.size() + task.held_out.size(), 60);
  for (std::int64_t c = 0; c < 3; ++c) {
    const auto count = [c](const LabelledInputs& part) {
      return std::count(part.labels.begin(), part.labels.end(), c);
    };
    EXPECT_LE(std::abs(count(task.trusted) - count(task.held_out)), 1);
  }
}

TEST(CleanTaskTest, RefusesTooFewTrustedSamplesAndNothingToClean) {
  auto data = made_blobs("blobs", 100, 0, 1);
  for (const std::int64_t c : {0, 1, 2}) {
    const auto first = std::find(data.labels.begin(), data.labels.end(), c) - data.labels.begin();
    data.trusted[static_cast<std::size_t>(first)] = true;
  }
  try {
    make_clean_task(data, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("blobs with 3 trusted samples"), std::string::npos) << error.what();
  }
  EXPECT_THROW(make_clean_task(made_blobs("blobs", 40, 40, 1), 0), Error);
}

TEST(CleanTaskTest, InjectionMovesTheShare) {
  auto task = make_clean_task(made_blobs("blobs", 1060, 60, 1), 1);
  const auto before = task.noisy.labels;
  inject_wrong_labels(task, 0.4, 5);
  std::size_t moved = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    EXPECT_EQ(before[j] != task.noisy.labels[j], (*task.wrong)[j]);
    moved += before[j] != task.noisy.labels[j] ? 1 : 0;
  }
  EXPECT_EQ(moved, 400);
}

TEST(CleanTest, BeatsTheBaselinesOnBlobs) {
  Monitor monitor;
  const auto cleaned = clean({misled_task(1)}, small_options(), monitor);
  const auto& found = cleaned.findings.front();
  const auto& own = found.ways.back();
  for (std::size_t w = 0; w + 1 < found.ways.size(); ++w) {
    EXPECT_GT(*own.auc, *found.ways[w].auc + 0.005) << found.ways[w].name;
    EXPECT_GT(*own.test_accuracy, found.ways[w].test_accuracy.value_or(0)) << found.ways[w].name;
  }
  EXPECT_GT(*own.auc, 0.97);
  EXPECT_GT(*own.test_accuracy, 0.93);
  EXPECT_NEAR(found.noise.at(0, 1), 0.6, 0.08);
  EXPECT_NEAR(found.noise.at(2, 0), 0.33, 0.08);
  EXPECT_GT(found.noise.at(1, 1), 0.9);
  EXPECT_LT(*found.true_error, 0.06);
  EXPECT_NEAR(*found.flagged.precision, found.flagged.promised, 0.06);
  EXPECT_GE(found.flagged.promised, 0.9);
}

TEST(CleanTest, ThreadsAndRepetitionChangeNothing) {
  auto options = small_options();
  options.steps = 60, options.bilevel_iterations = 20;
  std::vector<std::string> results;
  for (const int threads : {1, 2, 3}) {
    options.threads = threads;
    Monitor monitor;
    results.push_back(samples_of(clean({blob_task("one", 1, 0.3), blob_task("two", 2, 0.3)}, options, monitor)));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  options.seed = 1;
  Monitor monitor;
  EXPECT_NE(results[0], samples_of(clean({blob_task("one", 1, 0.3), blob_task("two", 2, 0.3)}, options, monitor)));
}

/// What is known of wrong labels and the test set must not reach the samples' figures.
TEST(CleanTest, TruthAndTestSetDecideNothing) {
  auto options = small_options();
  options.steps = 60, options.bilevel_iterations = 20;
  auto task = blob_task("one", 1, 0.3);
  Monitor monitor, other_monitor;
  const auto with = samples_of(clean({task}, options, monitor));
  task.wrong.reset();
  task.test.reset();
  const auto cleaned = clean({task}, options, other_monitor);
  EXPECT_EQ(with, samples_of(cleaned));
  EXPECT_FALSE(cleaned.findings.front().ways.back().auc.has_value());
  EXPECT_TRUE(cleaned.findings.front().ways.back().held_out_accuracy.has_value());
}

/// Datasets of other widths and other numbers of classes side by side; the steps come to what was announced.
TEST(CleanTest, ShapesAndClassesMayDiffer) {
  auto options = small_options();
  options.steps = 30, options.bilevel_iterations = 10;
  auto wide = made_blobs("wide", 300, 60, 2, 5);
  wide.shape = {2};
  for (std::size_t j = 0; j < 300; ++j) {
    std::copy_n(wide.inputs.begin() + static_cast<std::ptrdiff_t>(4 * j), 2,
                wide.inputs.begin() + static_cast<std::ptrdiff_t>(2 * j));
  }
  wide.inputs.resize(600);
  std::int64_t done = 0, announced = 0;
  Monitor monitor([&](const std::string&, std::int64_t now, std::int64_t all) { done = now, announced = all; });
  const std::vector<CleanTask> tasks{blob_task("one", 1, 0.3), make_clean_task(wide, 1), blob_task("two", 2, 0.3)};
  const auto cleaned = clean(tasks, options, monitor);
  EXPECT_EQ(done, announced);
  ASSERT_EQ(cleaned.findings.size(), 3);
  EXPECT_EQ(cleaned.findings[1].noise.classes, 5);
  for (const auto& found : cleaned.findings) {
    for (const double p : found.wrong) ASSERT_TRUE(p >= 0 && p <= 1);
  }
  const auto folder = std::filesystem::temp_directory_path() / "moblo-clean-test";
  std::filesystem::create_directories(folder);
  write_model(folder, tasks, cleaned.networks);
  const auto file = records::read_tensor_file(folder / "model.safetensors", true);
  EXPECT_EQ(file.tensors.size(), 18);
  std::filesystem::remove_all(folder);
}

TEST(CleanTest, StopsWithinAStep) {
  auto options = small_options();
  options.threads = 1, options.bilevel_iterations = 10;
  const auto task = blob_task("one", 1, 0.3);
  for (const std::int64_t asked_after : {4, 17}) {  // in the bi-level run, in a training after it
    std::atomic<bool> stop = false;
    std::int64_t done = 0;
    Monitor monitor([&](const std::string&, std::int64_t now, std::int64_t) { stop = (done = now) >= asked_after; },
                    &stop);
    EXPECT_THROW(clean({task}, options, monitor), Interrupted);
    EXPECT_LE(done, asked_after + 1);
  }
}

TEST(CleanTest, StopsInTheBilevelRunWhenAsked) {
  std::atomic<bool> stop = true;
  Monitor monitor(nullptr, &stop);
  const auto task = blob_task("one", 1, 0.3);
  EXPECT_THROW(learn_weights({&task}, small_options(), monitor), Interrupted);
}

/// Weights of a run that went astray would be taken for judgements.
TEST(CleanTest, SaysWhereTheBilevelRunFails) {
  auto task = blob_task("wild", 1, 0.3);
  task.noisy.inputs.mul_(1e12F);
  task.trusted.inputs.mul_(1e12F);
  Monitor monitor;
  try {
    clean({task}, small_options(), monitor);
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 1);
    EXPECT_NE(std::string(error.what()).find("the bi-level run on wild: ended as"), std::string::npos) << error.what();
  }
}

/// Two bi-level runs and the baselines side by side, while somebody else draws from torch's generator as well.
TEST(CleanTest, JobsNeitherUseNorMoveTorchsGenerator) {
  auto options = small_options();
  options.steps = 60, options.bilevel_iterations = 20;
  auto narrow = made_blobs("narrow", 300, 60, 2);
  narrow.shape = {2};
  for (std::size_t j = 0; j < 300; ++j) {
    std::copy_n(narrow.inputs.begin() + static_cast<std::ptrdiff_t>(4 * j), 2,
                narrow.inputs.begin() + static_cast<std::ptrdiff_t>(2 * j));
  }
  narrow.inputs.resize(600);
  const std::vector<CleanTask> tasks{blob_task("one", 1, 0.3), make_clean_task(narrow, 1)};
  std::vector<std::string> results;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    torch::manual_seed(static_cast<std::uint64_t>(threads));
    const auto before = gradients::torch_random_state();
    Monitor monitor;
    results.push_back(samples_of(clean(tasks, options, monitor)));
    EXPECT_TRUE(torch::equal(before, gradients::torch_random_state())) << threads;
  }
  std::atomic<bool> done = false;
  std::thread drawing([&done] {
    while (!done) torch::rand({100});
  });
  Monitor monitor;
  results.push_back(samples_of(clean(tasks, options, monitor)));
  done = true;
  drawing.join();
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace moblo::lab::clean
