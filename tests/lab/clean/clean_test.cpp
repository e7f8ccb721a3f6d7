#include "lab/clean/clean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "lab/clean/clean_files.hpp"
#include "lab/clean/cross_fit.hpp"
#include "lab/clean/judges.hpp"
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
    data.given.push_back(j < trusted ? -1 : data.labels.back());
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
  auto task = make_clean_task(made_blobs(name, 1500, 60, seed));
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
  const auto task = make_clean_task(made_blobs("blobs", 500, 60, 1));
  const auto all = torch::cat({task.noisy.inputs, task.trusted.inputs});
  EXPECT_LT(all.mean(0).abs().max().item().toDouble(), 1e-4);
  EXPECT_EQ(all.select(1, 2).abs().max().item().toDouble(), 0);
  EXPECT_NEAR(all.square().sum(1).mean().item().toDouble(), 100, 1e-2);
  EXPECT_NEAR(all.select(1, 0).std().item().toDouble(), all.select(1, 3).std().item().toDouble(), 1e-3);
}

TEST(CleanTaskTest, TrustedSamplesKeepWhatTheyWereGivenAs) {
  auto data = made_blobs("blobs", 500, 60, 1);
  data.given[7] = (data.labels[7] + 1) % 3;
  data.picked.assign(500, false);
  data.picked[7] = true;
  const auto task = make_clean_task(data);
  EXPECT_EQ(task.noisy.size(), 440);
  ASSERT_EQ(task.trusted.size(), 60);
  EXPECT_EQ(task.trusted.given[7], data.given[7]);
  EXPECT_EQ(task.trusted.given[8], -1);
  EXPECT_TRUE(task.trusted.picked[7] && !task.trusted.picked[8]);
}

TEST(CleanTaskTest, RefusesNothingToClean) {
  EXPECT_THROW(make_clean_task(made_blobs("blobs", 40, 40, 1)), Error);
}

TEST(FoldsTest, DealEverySampleOnceAndClassesAlike) {
  const auto task = make_clean_task(made_blobs("blobs", 500, 60, 1));
  const auto folds = deal_folds(task, CleanOptions{}, 3);
  std::size_t dealt = 0;
  for (std::int64_t k = 0; k < folds.count; ++k) {
    dealt += rows_in(folds.noisy, k).size();
    for (std::int64_t c = 0; c < 3; ++c) {
      std::int64_t in = 0, all = 0;
      for (std::size_t j = 0; j < folds.trusted.size(); ++j) {
        if (task.trusted.labels[j] != c) continue;
        ++all, in += folds.trusted[j] == k ? 1 : 0;
      }
      EXPECT_LE(std::abs(in * folds.count - all), folds.count);
    }
  }
  EXPECT_EQ(dealt, 440);
}

TEST(CleanTaskTest, InjectionMovesTheShare) {
  auto task = make_clean_task(made_blobs("blobs", 1060, 60, 1));
  const auto before = task.noisy.labels;
  inject_wrong_labels(task, 0.4, 5);
  std::size_t moved = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    EXPECT_EQ(before[j] != task.noisy.labels[j], (*task.wrong)[j]);
    moved += before[j] != task.noisy.labels[j] ? 1 : 0;
  }
  EXPECT_EQ(moved, 400);
}

/// The pairs are those of the noise: what trusted samples were called before somebody checked them.
CleanTask with_pairs(CleanTask task, std::uint64_t seed) {
  Rng rng(seed);
  for (std::size_t j = 0; j < task.trusted.labels.size(); ++j) {
    const auto right = task.trusted.labels[j];
    const bool moved = rng.uniform() < (right == 0 ? 0.6 : right == 2 ? 0.33 : 0);
    task.trusted.given[j] = !moved ? right : right == 0 ? 1 : 0;
  }
  return task;
}

TEST(CleanTest, BeatsTheBaselinesOnBlobs) {
  Monitor monitor;
  const auto cleaned = clean({with_pairs(misled_task(1), 7)}, small_options(), monitor);
  const auto& found = cleaned.findings.front();
  const auto& own = found.ways.back();
  for (std::size_t w = 0; w + 1 < found.ways.size(); ++w) {
    EXPECT_GE(*own.auc, *found.ways[w].auc) << found.ways[w].name;
    if (found.ways[w].name == "labels as draws of the noise") continue;
    EXPECT_GT(*own.test_accuracy, found.ways[w].test_accuracy.value_or(0)) << found.ways[w].name;
  }
  EXPECT_GT(*own.auc, 0.97);
  EXPECT_GT(*own.test_accuracy, 0.93);
  EXPECT_NEAR(found.noise.at(0, 1), 0.6, 0.08);
  EXPECT_NEAR(found.noise.at(2, 0), 0.33, 0.08);
  EXPECT_GT(found.noise.at(1, 1), 0.9);
  EXPECT_LT(*found.true_error, 0.06);
  EXPECT_FALSE(found.assumed);
  const double truly = static_cast<double>(std::count(found.truth->begin(), found.truth->end(), true)) /
                       static_cast<double>(found.truth->size());
  EXPECT_NEAR(found.wrong_share.value, truly, 0.06);
  EXPECT_LE(*found.wrong_share.low, truly);
  EXPECT_GE(*found.wrong_share.high, truly);
  EXPECT_LE(*found.flagged.promised.low, *found.flagged.precision);
  EXPECT_GE(*found.flagged.promised.high, *found.flagged.precision);
  EXPECT_GE(found.flagged.promised.value, 0.9);
  EXPECT_TRUE(found.choice.measured);
  EXPECT_GE(found.choice.margin.value, 0);
}

/// Few samples, of which none is trusted, and a judge that cannot work.
TEST(CleanTest, NeedsNoTrustedSamples) {
  auto options = small_options();
  options.steps = 60, options.review = 30;
  for (const std::int64_t samples : {40, 300}) {
    auto task = make_clean_task(made_blobs("blobs", samples, 0, 1));
    inject_wrong_labels(task, 0.2, 1);
    Monitor monitor;
    const auto cleaned = clean({task}, options, monitor);
    const auto& found = cleaned.findings.front();
    EXPECT_TRUE(found.assumed);
    EXPECT_FALSE(found.choice.measured || found.wrong_share.low || found.flagged.promised.low);
    EXPECT_EQ(found.review.size(), 30);
    EXPECT_FALSE(cleaned.models.front().empty());
    for (const double p : found.wrong) ASSERT_TRUE(p >= 0 && p <= 1);
    const auto said = promises(found);
    EXPECT_NE(said[0].find("assumption"), std::string::npos);
    EXPECT_NE(said[2].find("not measured"), std::string::npos);
  }
}

TEST(CleanTest, ProbabilitiesOfTheUsersAreAJudge) {
  auto task = with_pairs(misled_task(1), 7);
  const auto bring = [](LabelledInputs& part) {
    part.brought.classes = 3;
    for (const auto label : part.labels) {
      for (std::int64_t c = 0; c < 3; ++c) part.brought.values.push_back(c == label ? 0.8 : 0.1);
    }
  };
  bring(task.noisy), bring(task.trusted);
  auto options = small_options();
  options.steps = 60, options.judges = {"given"};
  Monitor monitor;
  const auto alone = clean({task}, options, monitor);
  EXPECT_EQ(alone.findings.front().judges, std::vector<std::string>{"given"});
  EXPECT_TRUE(alone.models.front().empty());
  options.judges = {"given", "linear"};
  const auto both = clean({task}, options, monitor);
  EXPECT_EQ(both.findings.front().judges, (std::vector<std::string>{"given", "linear"}));
  options.judges = {"nobody"};
  EXPECT_THROW(clean({task}, options, monitor), Error);
}

TEST(CleanTest, ThreadsAndRepetitionChangeNothing) {
  auto options = small_options();
  options.steps = 60;
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
  options.steps = 60;
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
  options.steps = 30;
  auto wide = made_blobs("wide", 300, 60, 2, 5);
  wide.shape = {2};
  for (std::size_t j = 0; j < 300; ++j) {
    std::copy_n(wide.inputs.begin() + static_cast<std::ptrdiff_t>(4 * j), 2,
                wide.inputs.begin() + static_cast<std::ptrdiff_t>(2 * j));
  }
  wide.inputs.resize(600);
  std::int64_t done = 0, announced = 0;
  Monitor monitor([&](const std::string&, std::int64_t now, std::int64_t all) { done = now, announced = all; });
  const std::vector<CleanTask> tasks{blob_task("one", 1, 0.3), make_clean_task(wide), blob_task("two", 2, 0.3)};
  const auto cleaned = clean(tasks, options, monitor);
  EXPECT_EQ(done, announced);
  ASSERT_EQ(cleaned.findings.size(), 3);
  EXPECT_EQ(cleaned.findings[1].noise.classes, 5);
  for (const auto& found : cleaned.findings) {
    for (const double p : found.wrong) ASSERT_TRUE(p >= 0 && p <= 1);
  }
  const auto folder = std::filesystem::temp_directory_path() / "moblo-clean-test";
  std::filesystem::create_directories(folder);
  write_model(folder, tasks, cleaned.models);
  const auto file = records::read_tensor_file(folder / "model.safetensors", true);
  std::size_t tensors = 0;
  for (const auto& model : cleaned.models) {
    double shares = 0;
    for (const auto& member : model) tensors += member.tensors.size(), shares += member.share;
    EXPECT_NEAR(shares, 1, 1e-9);
  }
  EXPECT_EQ(file.tensors.size(), tensors);
  std::filesystem::remove_all(folder);
}

TEST(CleanTest, StopsWithinAStep) {
  auto options = small_options();
  options.threads = 1;
  const auto task = blob_task("one", 1, 0.3);
  for (const std::int64_t asked_after : {4, 17}) {
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
  const auto options = small_options();
  const auto folds = deal_folds(task, options, 1);
  EXPECT_THROW(bilevel_judge().learn(fold_work(task, options, folds, 0, 1), monitor), Interrupted);
}

/// What a run that went astray says must not be taken for a judgement.
TEST(CleanTest, SaysWhereTheBilevelRunFails) {
  auto task = blob_task("wild", 1, 0.3);
  task.noisy.inputs.mul_(1e12F);
  task.trusted.inputs.mul_(1e12F);
  auto options = small_options();
  options.judges = {"bilevel"}, options.bilevel_iterations = 100;
  Monitor monitor;
  try {
    clean({task}, options, monitor);
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 1);
    EXPECT_NE(std::string(error.what()).find("the bi-level run on wild: ended as"), std::string::npos) << error.what();
  }
}

/// A bi-level judge and others side by side, while somebody else draws from torch's generator as well.
TEST(CleanTest, JobsNeitherUseNorMoveTorchsGenerator) {
  auto options = small_options();
  options.steps = 60, options.bilevel_iterations = 20;
  options.judges = {"plain", "bilevel"};
  auto narrow = made_blobs("narrow", 300, 60, 2);
  narrow.shape = {2};
  for (std::size_t j = 0; j < 300; ++j) {
    std::copy_n(narrow.inputs.begin() + static_cast<std::ptrdiff_t>(4 * j), 2,
                narrow.inputs.begin() + static_cast<std::ptrdiff_t>(2 * j));
  }
  narrow.inputs.resize(600);
  const std::vector<CleanTask> tasks{blob_task("one", 1, 0.3), make_clean_task(narrow)};
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
