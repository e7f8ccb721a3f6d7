#include "lab/clean/trees.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "lab/metrics/classification.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean::trees_test {
namespace {

constexpr std::int64_t rows = 1500;

/// Classes in the cells of a chessboard: no plane parts them.
struct Board {
  torch::Tensor inputs = torch::empty({rows, 3});
  Labels truth, given;

  explicit Board(std::int64_t classes, double wrong, std::uint64_t seed = 1) {
    Rng rng(seed);
    auto* value = inputs.data_ptr<float>();
    for (std::int64_t j = 0; j < rows; ++j) {
      for (int i = 0; i < 3; ++i) value[3 * j + i] = static_cast<float>(4 * rng.uniform());
      const auto cell = static_cast<std::int64_t>(value[3 * j]) + static_cast<std::int64_t>(value[3 * j + 1]);
      truth.push_back(cell % classes);
      const auto moved = static_cast<std::int64_t>(1 + rng.below(static_cast<std::uint64_t>(classes - 1)));
      given.push_back(rng.uniform() < wrong ? (truth.back() + moved) % classes : truth.back());
    }
  }
};

Lesson plain_lesson(const Board& board, std::size_t classes) {
  return {board.inputs, one_hot(board.given, classes), torch::ones({rows})};
}

TreeOptions small_trees() {
  TreeOptions options;
  options.rounds = 30, options.columns = 0.8, options.smallest_leaf = 5;
  return options;
}

Labels best_of(const ClassChances& chances) {
  Labels labels;
  for (std::size_t j = 0; j < chances.size(); ++j) {
    labels.push_back(std::max_element(chances.row(j), chances.row(j) + chances.classes) - chances.row(j));
  }
  return labels;
}

class Trees : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if (trees_version().empty()) GTEST_SKIP() << "built without XGBoost";
  }
};

TEST_P(Trees, LearnWhatNoPlaneParts) {
  const Board board(GetParam(), 0), others(GetParam(), 0, 2);
  Monitor monitor;
  const auto model = fit_trees(plain_lesson(board, static_cast<std::size_t>(GetParam())), small_trees(), 3, monitor);
  const auto chances = tree_chances(model, others.inputs);
  EXPECT_GT(metrics::accuracy(others.truth, best_of(chances)), 0.9);
  for (std::size_t j = 0; j < chances.size(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < chances.classes; ++c) sum += chances.row(j)[c];
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

/// The same bits in another thread beside others, another seed other trees, and the way through a file changes nothing.
TEST_P(Trees, AreTheSameForTheSameSeed) {
  const Board board(GetParam(), 0.3);
  const auto lesson = plain_lesson(board, static_cast<std::size_t>(GetParam()));
  const auto learn = [&](std::uint64_t seed) {
    Monitor monitor;
    return fit_trees(lesson, small_trees(), seed, monitor);
  };
  const auto first = learn(3);
  std::vector<TreeModel> more(2);
  {
    std::jthread one([&] { more[0] = learn(3); }), other([&] { more[1] = learn(4); });
  }
  EXPECT_EQ(first.bytes, more[0].bytes);
  EXPECT_NE(first.bytes, more[1].bytes);
  JobResult kept;
  put_trees(kept, "boosted", first);
  EXPECT_EQ(tree_chances(trees_in(kept, "boosted"), board.inputs).values, tree_chances(first, board.inputs).values);
}

/// With the noise in the loss, chances are those of the true class.
TEST_P(Trees, KnowOfTheNoise) {
  const auto classes = static_cast<std::size_t>(GetParam());
  const Board board(GetParam(), 0.3), others(GetParam(), 0, 2);
  NoiseModel noise{classes, std::vector<double>(classes * classes, 0.3 / static_cast<double>(classes - 1)), 0.3};
  for (std::size_t c = 0; c < classes; ++c) noise.transition[c * classes + c] = 0.7;
  Monitor monitor;
  const Lesson lesson{board.inputs, label_likelihood(board.given, noise), torch::ones({rows})};
  const auto mean_of_truth = [&](const TreeModel& model) {
    const auto chances = tree_chances(model, others.inputs);
    double sum = 0;
    for (std::size_t j = 0; j < chances.size(); ++j) sum += chances.at(j, others.truth[j]);
    return sum / static_cast<double>(chances.size());
  };
  const double knowing = mean_of_truth(fit_trees(lesson, small_trees(), 3, monitor));
  const double plain = mean_of_truth(fit_trees(plain_lesson(board, classes), small_trees(), 3, monitor));
  EXPECT_GT(knowing, plain + 0.05);
}

INSTANTIATE_TEST_SUITE_P(TwoAndMore, Trees, ::testing::Values(2, 3));

}  // namespace
}  // namespace moblo::lab::clean::trees_test
