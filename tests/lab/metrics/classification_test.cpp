#include "lab/metrics/classification.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/metrics/auc.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::metrics {
namespace {

using Labels = std::vector<std::int64_t>;

// By hand: of the classes 0..5 the F1 are 1/2, 1/2, 2/3, 2/3, 2/3 and 0; class 5 occurs in the predictions alone.
const Labels truth{0, 1, 2, 2, 3, 3, 3, 1, 0, 2, 4, 4}, predicted{0, 2, 2, 2, 3, 1, 3, 1, 5, 0, 4, 3};

TEST(Accuracy, IsTheShareOfHits) {
  EXPECT_DOUBLE_EQ(accuracy(truth, predicted), 7.0 / 12);
  EXPECT_DOUBLE_EQ(accuracy(truth, truth), 1);
}

TEST(MacroF1, IsTheMeanOverTheClassesThatOccur) {
  EXPECT_DOUBLE_EQ(macro_f1(truth, predicted), 0.5);
  EXPECT_DOUBLE_EQ(macro_f1(truth, truth), 1);
}

TEST(MacroF1, DoesNotDependOnTheNamesOfTheClasses) {
  Labels renamed_truth, renamed_predicted;
  for (const auto label : truth) renamed_truth.push_back(7 * label - 3);
  for (const auto label : predicted) renamed_predicted.push_back(7 * label - 3);
  EXPECT_DOUBLE_EQ(macro_f1(renamed_truth, renamed_predicted), macro_f1(truth, predicted));
}

TEST(F1, IsTheHarmonicMeanOfPrecisionAndRecall) {
  const std::vector<bool> positive{1, 1, 0, 0, 1, 0, 1, 0}, flagged{1, 0, 0, 1, 1, 0, 1, 1};
  const double precision = 3.0 / 5, recall = 3.0 / 4;
  EXPECT_DOUBLE_EQ(f1(positive, flagged), 2 * precision * recall / (precision + recall));
  EXPECT_DOUBLE_EQ(f1({false, false}, {false, false}), 0);
}

TEST(Classification, ListsOfTwoLengthsAreRefused) {
  EXPECT_THROW(accuracy({1, 2}, {1}), Error);
  EXPECT_THROW(macro_f1({}, {}), Error);
  EXPECT_THROW(f1({true}, {}), Error);
}

TEST(AreaUnderRoc, IsTheShareOfPairsInTheRightOrder) {
  Rng rng(5);
  std::vector<double> scores;
  std::vector<bool> positive;
  for (int i = 0; i < 60; ++i) {
    scores.push_back(static_cast<double>(rng.below(20)));  // with ties
    positive.push_back(rng.below(2) == 1);
  }
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (!positive[i] || positive[j]) continue;
      right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      ++pairs;
    }
  }
  EXPECT_NEAR(area_under_roc(scores, positive).value(), right / pairs, 1e-12);
}

}  // namespace
}  // namespace moblo::lab::metrics
