#include "driver.hpp"

/// What every weighting of the second half keeps to, whatever its formula.
namespace moblo::weightings {
namespace {

class Every : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Weighting, Every, ::testing::ValuesIn(names), [](const auto& test) { return test.param; });

TEST_P(Every, GivesFiniteWeightsOfTheRightSizes) {
  for_each_family(1, [&](Family family, const RowMatrix& rows, Rng& rng) {
    if (GetParam() == "fairgrad" && family == Family::opposed) return;  // has no answer there; see its own test
    const Eigen::Index m = rows.rows();
    auto weighting = make(GetParam(), m);
    Given given{0, 1, positive(m, rng), positive(m, rng), rows.replicate(weighting->needs().samples, 1)};
    for (; given.k < 8; ++given.k) {
      const Answer answer = run_step(*weighting, given);
      ASSERT_EQ(answer.weights.shared.size(), given.rows.rows());
      ASSERT_EQ(answer.weights.heads.size(), m);
      ASSERT_TRUE(answer.weights.shared.allFinite());
      ASSERT_TRUE(answer.weights.heads.allFinite());
      ASSERT_GE(answer.weights.heads.minCoeff(), 0);
      ASSERT_LE(answer.weights.residual, 1e-5);
    }
  });
}

TEST_P(Every, RestoredRunContinuesBitForBit) {
  for (const int m : {1, 2, 3, 11}) {
    Rng rng(static_cast<std::uint64_t>(m));
    auto whole = make(GetParam(), m);
    std::vector<Given> inputs;
    for (int k = 0; k < 14; ++k) inputs.push_back(random_given(*whole, k, m, rng));
    for (int k = 0; k < 7; ++k) run_step(*whole, inputs[static_cast<std::size_t>(k)]);
    auto resumed = make(GetParam(), m);
    WeightingState state = whole->save();
    state.values = Json::parse(state.values.dump());  // as a checkpoint stores it
    resumed->restore(state);
    for (int k = 7; k < 14; ++k) {
      const Given& given = inputs[static_cast<std::size_t>(k)];
      const Answer a = run_step(*whole, given), b = run_step(*resumed, given);
      ASSERT_EQ(a.weights.shared, b.weights.shared) << "m=" << m << " k=" << k;
      ASSERT_EQ(a.weights.heads, b.weights.heads);
      ASSERT_EQ(a.direction, b.direction);
    }
    EXPECT_EQ(whole->save().values, resumed->save().values);
    EXPECT_EQ(whole->save().arrays, resumed->save().arrays);
  }
}

TEST_P(Every, StartForgetsTheRunBefore) {
  Rng rng(5);
  auto used = make(GetParam(), 3);
  for (int k = 0; k < 9; ++k) run_step(*used, random_given(*used, k, 3, rng));
  used->start(4);
  auto fresh = make(GetParam(), 4);
  for (int k = 0; k < 9; ++k) {
    const Given given = random_given(*fresh, k, 4, rng);
    ASSERT_EQ(run_step(*used, given).direction, run_step(*fresh, given).direction) << k;
  }
}

TEST_P(Every, ThrowsOnWhatIsNotFiniteAndKeepsItsState) {
  Rng rng(6);
  auto weighting = make(GetParam(), 3);
  for (int k = 0; k < 3; ++k) run_step(*weighting, random_given(*weighting, k, 3, rng));
  const WeightingState before = weighting->save();
  Given given = random_given(*weighting, 3, 3, rng);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  given.losses(1) = nan;
  given.rows(1, 1) = nan;
  EXPECT_EQ(kind_of_error([&] { run_step(*weighting, given); }), ErrorKind::numeric);
  EXPECT_EQ(weighting->save().values, before.values);
  EXPECT_EQ(weighting->save().arrays, before.arrays);
}

TEST_P(Every, FloatRowsGiveTheSameAnswer) {
  Rng rng(7);
  auto of_double = make(GetParam(), 3), of_float = make(GetParam(), 3);
  if (!of_double->needs().entries) GTEST_SKIP();
  for (int k = 0; k < 4; ++k) {
    Given given = random_given(*of_double, k, 3, rng);
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = given.rows.cast<float>();
    given.rows = rows.cast<double>();
    const Answer expected = run_step(*of_double, given);
    TaskStep step{given.k, given.epoch_length, given.losses, {}};
    of_float->rewrite(step, GradientRows<float>{rows.data(), rows.rows(), rows.cols(), rows.cols()});
    EXPECT_LE((rows.cast<double>() - expected.rows).cwiseAbs().maxCoeff(), 1e-6);
    step.gramian = (rows * rows.transpose()).cast<double>();
    EXPECT_LE((of_float->weigh(step).shared - expected.weights.shared).norm(), 1e-5);
  }
}

TEST(Options, WrongNumberOfPreferencesIsNamed) {
  for (const char* name : {"aligned", "stch", "upgrad", "dualproj", "config"}) {
    EXPECT_EQ(kind_of_error([&] { make(name, 3, {{"preference", {1, 2}}}); }), ErrorKind::config) << name;
  }
}

/// On gradients in conflict no two of these agree; where they did, one would be superfluous or wrong.
TEST(Distinct, NoTwoWeightingsGiveTheSameDirection) {
  std::vector<std::pair<std::string, Eigen::VectorXd>> directions;
  for (const std::string& name : names) {
    auto weighting = make(name, 3);
    const RowMatrix rows{{1, 0.2, 0, 0.3}, {-0.8, 1, 0.1, 0}, {0.1, -0.6, 0.5, 2}};
    Given given{0, 1, Eigen::Vector3d(0.7, 1.9, 0.4), Eigen::Vector3d(0.6, 1.2, 0.39),
                rows.replicate(weighting->needs().samples, 1)};
    Eigen::VectorXd last;
    for (; given.k < 8; ++given.k) {
      last = run_step(*weighting, given).direction.normalized();
      given.losses = given.losses.cwiseProduct(Eigen::Vector3d(0.9, 0.7, 0.95));
      given.losses_after = given.losses.cwiseProduct(Eigen::Vector3d(0.95, 0.8, 0.99));
    }
    for (const auto& [other, direction] : directions) {
      EXPECT_GT((direction - last).norm(), 1e-4) << name << " and " << other;
    }
    directions.emplace_back(name, last);
  }
}

}  // namespace
}  // namespace moblo::weightings
