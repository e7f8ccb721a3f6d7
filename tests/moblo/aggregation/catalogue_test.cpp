#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

constexpr int steps_taken = 12;  // six epochs: past every warm-up

/// What every weighting must do, whoever wrote it: new lines of the catalogue are tested without a change here.
class EveryWeighting : public ::testing::TestWithParam<std::string> {
 protected:
  Steps steps(Eigen::Index tasks, const Json& options = Json::object()) const {
    return Steps(GetParam(), tasks, options);
  }
  bool has_seed() const {
    for (const auto& field : find_weighting(GetParam(), "test").fields) {
      if (field.key == "seed") return true;
    }
    return false;
  }
};

/// Several batches of one step are the same gradients with noise of their own.
TaskGradients stacked(Family family, Eigen::Index m, int samples, Rng& rng) {
  const TaskGradients base = make_gradients(family, m, rng);
  TaskGradients rows(samples * m, base.cols());
  for (int b = 0; b < samples; ++b) {
    rows.middleRows(b * m, m) = base;
    if (b > 0) rows.middleRows(b * m, m) += 0.1 * normal_rows(m, base.cols(), rng);
  }
  return rows;
}

Eigen::VectorXd made_losses(Eigen::Index m, Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(m, [&] { return 0.3 + 2.7 * rng.uniform(); });
}

struct Update {
  Eigen::VectorXd direction, heads;
  bool operator==(const Update& other) const { return direction == other.direction && heads == other.heads; }
};

Update update_of(const Aggregate& aggregate) {
  return {aggregate.direction, aggregate.weights.heads};
}

/// Step k sees gradients and losses that are a function of k alone.
Update take_step(Steps& steps, Family family, Eigen::Index m, double loss_factor = 1) {
  Rng rng(derive_seed(3, "steps", static_cast<std::uint64_t>(steps.k())));
  const TaskGradients rows = stacked(family, m, steps.weighting().needs().samples, rng);
  const Eigen::VectorXd losses = made_losses(m, rng);
  return update_of(steps.next(rows, loss_factor == 1 ? losses : losses.array().pow(loss_factor).matrix()));
}

std::vector<Update> take_steps(Steps& steps, Family family, Eigen::Index m, int count, double loss_factor = 1) {
  std::vector<Update> all;
  for (int k = 0; k < count; ++k) all.push_back(take_step(steps, family, m, loss_factor));
  return all;
}

TEST_P(EveryWeighting, IsFiniteOnEveryFamilyOrSaysWhyNot) {
  for (const Family family : all_families) {
    for (const int m : all_sizes) {
      SCOPED_TRACE(std::string(name_of(family)) + ", m = " + std::to_string(m));
      auto run = steps(m);
      try {
        for (const auto& update : take_steps(run, family, m, 3)) {
          EXPECT_TRUE(update.direction.allFinite());
          EXPECT_TRUE(update.heads.allFinite());
          EXPECT_EQ(update.heads.size(), m);
          EXPECT_GE(update.heads.minCoeff(), 0) << "a head would climb";
        }
      } catch (const Error& error) {
        EXPECT_TRUE(is_numeric(error)) << error.what();
      }
    }
  }
}

TEST_P(EveryWeighting, NeverRefusesGradientsInGeneralPosition) {
  for (const int m : all_sizes) {
    for (const Family family : {Family::random, Family::conflicted, Family::orthogonal}) {
      auto run = steps(m);
      EXPECT_NO_THROW(take_steps(run, family, m, 3)) << name_of(family) << " " << m;
    }
  }
}

/// Whose direction is an average over steps.
const std::set<std::string> with_momentum{"dbmtl"};

TEST_P(EveryWeighting, FollowsTheGradientOfASingleTask) {
  auto run = steps(1);
  for (int k = 0; k < (with_momentum.contains(GetParam()) ? 1 : steps_taken); ++k) {
    Rng rng(derive_seed(5, "single", static_cast<std::uint64_t>(k)));
    const TaskGradients base = normal_rows(1, 9, rng);
    const TaskGradients rows = base.replicate(run.weighting().needs().samples, 1);
    const Eigen::VectorXd direction = run.next(rows, made_losses(1, rng)).direction;
    const double cosine = base.row(0).dot(direction) / base.norm() / direction.norm();
    EXPECT_NEAR(cosine, 1, 1e-12) << "step " << k;
  }
}

TEST_P(EveryWeighting, IsAFunctionOfItsOptionsAndSteps) {
  auto first = steps(3), second = steps(3);
  const auto once = take_steps(first, Family::conflicted, 3, steps_taken);
  EXPECT_EQ(once, take_steps(second, Family::conflicted, 3, steps_taken));
  first.weighting().start(3);
  first.at(0);
  EXPECT_EQ(once, take_steps(first, Family::conflicted, 3, steps_taken)) << "start() leaves something behind";
}

TEST_P(EveryWeighting, DrawsOtherNumbersFromAnotherSeed) {
  if (!has_seed()) GTEST_SKIP() << "draws nothing";
  auto first = steps(11, {{"seed", 1}}), second = steps(11, {{"seed", 2}});
  EXPECT_NE(take_steps(first, Family::conflicted, 11, 2), take_steps(second, Family::conflicted, 11, 2));
}

TEST_P(EveryWeighting, GoesOnFromASavedStateBitForBit) {
  auto whole = steps(3), before = steps(3), after = steps(3);
  const auto all = take_steps(whole, Family::conflicted, 3, steps_taken);
  take_steps(before, Family::conflicted, 3, steps_taken / 2);
  WeightingState state = before.weighting().save();
  state.values = Json::parse(state.values.dump());  // as a checkpoint on a disk
  take_steps(after, Family::random, 3, 1);          // a state of its own, to be overwritten
  after.weighting().restore(state);
  after.at(steps_taken / 2);
  const std::vector<Update> rest(all.begin() + steps_taken / 2, all.end());
  EXPECT_EQ(take_steps(after, Family::conflicted, 3, steps_taken - steps_taken / 2), rest);
}

TEST_P(EveryWeighting, StaysAsItWasWhereItRefuses) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto plain = steps(3), disturbed = steps(3);
  take_steps(plain, Family::conflicted, 3, 2);
  take_steps(disturbed, Family::conflicted, 3, 2);
  const int samples = disturbed.weighting().needs().samples;
  try {
    disturbed.next(TaskGradients::Constant(3 * samples, 5, nan), Eigen::Vector3d::Constant(nan));
    GTEST_SKIP() << "needs nothing that could be amiss";
  } catch (const Error& error) {
    EXPECT_TRUE(is_numeric(error)) << error.what();
  }
  EXPECT_EQ(take_steps(disturbed, Family::conflicted, 3, 3), take_steps(plain, Family::conflicted, 3, 3));
}

TEST_P(EveryWeighting, SaysWhetherItReadsTheLosses) {
  auto first = steps(3), second = steps(3);
  const bool same = take_steps(first, Family::conflicted, 3, steps_taken) ==
                    take_steps(second, Family::conflicted, 3, steps_taken, 2);
  EXPECT_EQ(first.weighting().needs().losses, !same) << "needs().losses";
}

TEST_P(EveryWeighting, RewritesFloatsAsItRewritesDoubles) {
  auto run = steps(3);
  if (!run.weighting().needs().entries) GTEST_SKIP() << "sees no entries";
  Rng rng(11);
  TaskGradients rows = make_gradients(Family::conflicted, 3, rng);
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> floats = rows.cast<float>();
  rows = floats.cast<double>();
  const TaskStep step{.k = 0, .epoch_length = 2, .losses = Eigen::Vector3d::Ones(), .gramian = {}};
  auto other = steps(3);
  run.weighting().rewrite(step, GradientRows<double>{rows.data(), 3, rows.cols(), rows.cols()});
  other.weighting().rewrite(step, GradientRows<float>{floats.data(), 3, floats.cols(), floats.cols()});
  EXPECT_LE((rows - floats.cast<double>()).norm(), 1e-6 * rows.norm());
}

TEST_P(EveryWeighting, HasAPageAndASummary) {
  const auto& info = find_weighting(GetParam(), "test");
  EXPECT_FALSE(info.summary.empty());
  const auto page = std::filesystem::path(MOBLO_SOURCE_DIR) / "docs/methods/weightings" / (info.name + ".md");
  EXPECT_TRUE(std::filesystem::exists(page)) << page;
  for (const auto& field : info.fields) EXPECT_FALSE(field.help.empty()) << field.key;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& info : weighting_catalogue()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryWeighting, ::testing::ValuesIn(all_names()),
                         [](const auto& each) { return each.param; });

/// These part by the length of the direction only: proportional fairness is the bargain of Nash-MTL, and equal cosines
/// are equal projections on unit gradients.
const std::set<std::pair<std::string, std::string>> same_rays{{"fairgrad", "nashmtl"}, {"config", "imtl"}};

TEST(Weightings, AreDistinct) {
  const auto names = all_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "a name stands twice";
  std::vector<std::vector<Update>> runs;
  for (const auto& name : names) {
    Steps steps(name, 3);
    runs.push_back(take_steps(steps, Family::conflicted, 3, steps_taken));
  }
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (same_rays.contains(std::minmax(names[a], names[b]))) continue;
      double apart = 0;
      for (int k = 0; k < steps_taken; ++k) {
        const auto at = static_cast<std::size_t>(k);
        apart = std::max(apart, (runs[a][at].direction.normalized() - runs[b][at].direction.normalized()).norm());
      }
      EXPECT_GT(apart, 1e-5) << names[a] << " and " << names[b];
    }
  }
}

TEST(Weightings, AnUnknownNameIsAnsweredWithTheNearest) {
  try {
    find_weighting("pcgard", "here");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("pcgrad"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing
