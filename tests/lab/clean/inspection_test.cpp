#include "lab/clean/inspection.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/lab/clean/made_chances.hpp"
#include "tests/lab/clean/made_rows.hpp"

namespace moblo::lab::clean {
namespace {

using testing::ElementsAre;

Labels labels_in_turn(std::size_t count, std::int64_t classes) {
  Labels labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(static_cast<std::int64_t>(i) % classes);
  return labels;
}

TEST(Duplicates, EqualAndNearlyEqualRowsAreFound) {
  auto rows = normal_rows(1500, 12, 1);
  rows[700].copy_(rows[3]);
  rows[800].copy_(rows[3]);
  for (const int i : {20, 21, 22, 23}) rows[900 + i].copy_(rows[i] + 0.05 * normal_rows(1, 12, 7)[0]);
  auto given = labels_in_turn(1500, 3);
  for (const int i : {20, 21, 22}) given[static_cast<std::size_t>(900 + i)] = given[static_cast<std::size_t>(i)];
  given[700] = given[800] = given[3];
  given[923] = (given[23] + 1) % 3;
  const auto found = find_duplicates(rows, given, surroundings(rows, 0));
  ASSERT_EQ(found.groups.size(), 5u);
  EXPECT_THAT(found.groups[0].samples, ElementsAre(23, 923)) << "whose labels differ comes first";
  EXPECT_TRUE(found.groups[0].labels_differ);
  EXPECT_FALSE(found.groups[0].exact);
  EXPECT_THAT(found.groups[1].samples, ElementsAre(3, 700, 800)) << "then the larger ones";
  EXPECT_TRUE(found.groups[1].exact);
  EXPECT_FALSE(found.groups[1].labels_differ);
  EXPECT_EQ(found.of[800], 3);
  EXPECT_EQ(found.of[3], -1);
  EXPECT_EQ(std::count_if(found.of.begin(), found.of.end(), [](auto of) { return of >= 0; }), 6);
}

/// In two directions some rows are near by chance, however few.
TEST(Duplicates, ChanceMakesNone) {
  for (const std::int64_t width : {1, 2, 5, 12}) {
    const auto rows = normal_rows(3000, width, 9);
    EXPECT_LE(find_duplicates(rows, labels_in_turn(3000, 2), surroundings(rows, 0)).groups.size(), 3u) << width;
  }
}

TEST(Duplicates, PicturesAreAskedWhereRowsAreNear) {
  auto rows = normal_rows(1000, 10, 2);
  rows[500].copy_(rows[10] + 0.25 * normal_rows(1, 10, 3)[0]);
  std::size_t asked = 0;
  DuplicateSearch search;
  search.lookalikes = [&](const std::vector<RowPair>& pairs) {
    asked = pairs.size();
    std::vector<bool> alike;
    for (const auto& pair : pairs) alike.push_back(pair == RowPair{10, 500});
    return alike;
  };
  const auto given = labels_in_turn(1000, 2);
  const auto found = find_duplicates(rows, given, surroundings(rows, 0), search);
  ASSERT_EQ(found.groups.size(), 1u);
  EXPECT_THAT(found.groups[0].samples, ElementsAre(10, 500));
  EXPECT_GE(asked, 1u);
  EXPECT_LE(asked, 2000u);
  EXPECT_TRUE(find_duplicates(rows, given, surroundings(rows, 0)).groups.empty()) << "by the rows alone";
}

TEST(Duplicates, ManyEqualRowsAreOneGroup) {
  const auto rows = torch::cat({torch::ones({200, 4}), normal_rows(200, 4, 1)});
  const auto found = find_duplicates(rows, labels_in_turn(400, 2), surroundings(rows, 0));
  ASSERT_EQ(found.groups.size(), 1u);
  EXPECT_EQ(found.groups[0].samples.size(), 200u);
  EXPECT_TRUE(found.groups[0].labels_differ);
}

/// Radii of two classes with different room; every 40th sample has four times as much.
struct MadeRadii {
  std::vector<double> radius;
  Labels classes;
};
MadeRadii made_radii(std::size_t count, double factor) {
  Rng rng(5);
  MadeRadii made;
  for (std::size_t i = 0; i < count; ++i) {
    made.classes.push_back(static_cast<std::int64_t>(i % 2));
    made.radius.push_back(std::exp(0.2 * rng.normal() + (i % 2 ? 2 : 0)) * (i % 40 == 0 ? factor : 1));
  }
  return made;
}

TEST(Outliers, AreListedWithFewOthers) {
  const auto made = made_radii(4000, 4);
  const auto found = find_outliers(made.radius, made.classes, 2);
  const auto right = std::count_if(found.listed.begin(), found.listed.end(), [](auto j) { return j % 40 == 0; });
  EXPECT_EQ(right, 100) << "samples of the narrow class, below the room of the wide one";
  EXPECT_LE(static_cast<double>(found.listed.size()) - 100, 0.2 * 100);
  EXPECT_GE(found.score[found.listed.front()], found.score[found.listed.back()]);
  EXPECT_EQ(found.score[found.listed.back()], found.least_score);
}

TEST(Outliers, AreNoneWhereAllAreAlike) {
  const auto made = made_radii(4000, 1);
  EXPECT_LE(find_outliers(made.radius, made.classes, 2).listed.size(), 4u);
  EXPECT_TRUE(find_outliers(std::vector<double>(50, 1.0), labels_in_turn(50, 2), 2).listed.empty());
  EXPECT_TRUE(find_outliers(std::vector<double>(50, 0.0), labels_in_turn(50, 2), 2).listed.empty());
  EXPECT_TRUE(find_outliers({}, {}, 2).listed.empty());
}

TEST(Overlaps, AreTheClassesThatNobodyTellsApart) {
  ClassChances chances{3, {}};
  Labels given;
  for (int j = 0; j < 300; ++j) {
    const bool mixed = j % 3 != 2 && j < 90;  // of the first two classes, three in ten are halves
    const double own = mixed ? 0.55 : 1;
    std::vector<double> row(3, 0.0);
    row[static_cast<std::size_t>(j % 3)] += own;
    if (mixed) row[static_cast<std::size_t>(1 - j % 3)] += 1 - own;
    chances.values.insert(chances.values.end(), row.begin(), row.end());
    given.push_back(j == 0 ? 1 : j % 3);
  }
  const auto found = find_overlaps(chances, given);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 0u);
  EXPECT_EQ(found[0].second, 1u);
  EXPECT_NEAR(found[0].share, 60 * 0.45 / 100, 1e-9);
  EXPECT_EQ(found[0].given_otherwise, 1u);
  EXPECT_EQ(found[0].between.size(), 6u);
  for (const auto j : found[0].between) EXPECT_LT(j, 90u);
}

TEST(Groups, WithMoreWrongLabelsStandOut) {
  Rng rng(3);
  std::vector<double> wrong;
  std::vector<std::string> groups;
  for (int j = 0; j < 2000; ++j) {
    const bool careless = j % 4 == 0;
    wrong.push_back((careless ? 0.4 : 0.1) + 0.1 * rng.uniform());
    groups.push_back(j < 5 ? "rare" + std::to_string(j) : careless ? "careless" : "group " + std::to_string(j % 4));
  }
  const auto shares = shares_by_group(wrong, groups);
  ASSERT_EQ(shares.size(), 5u);
  EXPECT_EQ(shares[0].name, "careless");
  EXPECT_NEAR(shares[0].wrong, 0.45, 0.01);
  EXPECT_TRUE(shares[0].differs);
  EXPECT_LT(shares[0].lower, shares[0].wrong);
  EXPECT_GT(shares[0].upper, shares[0].wrong);
  EXPECT_EQ(std::count_if(shares.begin(), shares.end(), [](const auto& s) { return s.name == "others"; }), 1);
}

/// Numbers of wrong labels that are drawn with the probabilities are in the interval nine times out of ten.
TEST(Groups, IntervalsCoverWhatIsDrawn) {
  Rng rng(8);
  int covered = 0;
  for (int draw = 0; draw < 400; ++draw) {
    std::vector<double> wrong;
    double count = 0;
    for (int j = 0; j < 200; ++j) {
      wrong.push_back(rng.uniform());
      count += rng.uniform() < wrong.back() ? 1 : 0;
    }
    const auto share = shares_by_group(wrong, std::vector<std::string>(200, "one")).front();
    covered += share.lower <= count / 200 && count / 200 <= share.upper ? 1 : 0;
  }
  EXPECT_NEAR(covered / 400.0, 0.9, 0.05);
}

TEST(Groups, OfPathsAreTheirFolders) {
  EXPECT_THAT(folders_of({"a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg"}), ElementsAre("a", "a", "b", "b"));
  EXPECT_TRUE(folders_of({"a/1.jpg", "a/2.jpg"}).empty());
  EXPECT_TRUE(folders_of({"a/1.jpg", "b/2.jpg", "c/3.jpg"}).empty());
}

}  // namespace
}  // namespace moblo::lab::clean
