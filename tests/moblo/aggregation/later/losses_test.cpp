#include "tests/moblo/aggregation/later/driver.hpp"

/// DWA, GLS, GradNorm, STCH, ExcessMTL, FAMO: weights of the losses.
namespace moblo::aggregation::testing {
namespace {

constexpr double tight = 1e-12;

Given with_losses(std::int64_t k, std::int64_t epoch_length, const Eigen::VectorXd& losses) {
  return {k, epoch_length, losses, losses, TaskGradients::Identity(losses.size(), losses.size())};
}

TEST(Dwa, EqualForTwoEpochsThenBySoftmaxOfTheRatesOfEpochMeans) {
  auto dwa = make("dwa", 2);
  const std::vector<Eigen::Vector2d> losses{{1, 4}, {3, 2}, {1, 1}, {1, 2}, {9, 9}};
  Eigen::VectorXd weights;
  for (int k = 0; k < 5; ++k) {
    weights = run_step(*dwa, with_losses(k, 2, losses[static_cast<std::size_t>(k)])).weights.shared;
    if (k < 4) {
      EXPECT_EQ(weights, Eigen::Vector2d::Ones()) << k;
    }
  }
  const double first = std::exp(1.0 / 2 / 2), second = std::exp(1.5 / 3 / 2);
  EXPECT_NEAR(weights(0), 2 * first / (first + second), tight);
  EXPECT_NEAR(weights.sum(), 2, tight);
}

TEST(Dwa, SlowTaskGainsWeightAndHeadsFollow) {
  auto dwa = make("dwa", 3);
  Eigen::VectorXd losses = Eigen::VectorXd::Ones(3);
  Aggregate answer;
  for (int k = 0; k < 4; ++k) {
    answer = run_step(*dwa, with_losses(k, 1, losses));
    losses = losses.cwiseProduct(Eigen::Vector3d(0.5, 0.9, 0.7));
  }
  EXPECT_GT(answer.weights.shared(1), answer.weights.shared(2));
  EXPECT_GT(answer.weights.shared(2), answer.weights.shared(0));
  EXPECT_EQ(answer.weights.shared, answer.weights.heads);
}

/// The weights are the gradient of the geometric mean, so a central difference must agree.
TEST(Gls, WeightsAreTheDerivativeOfTheGeometricMean) {
  Rng rng(1);
  for (const int m : all_sizes) {
    const Eigen::VectorXd losses = positive(m, rng);
    const Eigen::VectorXd weights = run_step(*make("gls", m), with_losses(0, 1, losses)).weights.shared;
    const auto mean = [](const Eigen::VectorXd& l) { return std::exp(l.array().log().mean()); };
    for (int i = 0; i < m; ++i) {
      const Eigen::VectorXd shift = 1e-6 * Eigen::VectorXd::Unit(m, i);
      EXPECT_NEAR(weights(i), (mean(losses + shift) - mean(losses - shift)) / 2e-6, 1e-7);
    }
  }
}

TEST(Gls, RefusesALossOfZero) {
  EXPECT_EQ(kind_of_error([] { run_step(*make("gls", 2), with_losses(0, 1, Eigen::Vector2d(1, 0))); }),
            ErrorKind::numeric);
}

TEST(GradNorm, WeightsArePositiveSumToMAndEvenOutTheLengths) {
  for (const int m : {2, 3, 11}) {
    auto gradnorm = make("gradnorm", m, {{"step_size", 0.01}});
    TaskGradients rows = TaskGradients::Identity(m, m);
    for (int i = 0; i < m; ++i) rows(i, i) = 1 + i;
    Eigen::VectorXd weights;
    for (int k = 0; k < 3000; ++k) {  // equal progress: the targets are equal lengths
      weights = run_step(*gradnorm, {k, 1, Eigen::VectorXd::Ones(m), {}, rows}).weights.shared;
      ASSERT_NEAR(weights.sum(), m, 1e-10);
      ASSERT_GT(weights.minCoeff(), 0);
    }
    const Eigen::VectorXd lengths = weights.cwiseProduct(rows.rowwise().norm());
    EXPECT_LT(lengths.maxCoeff() / lengths.minCoeff(), 1.15) << "m=" << m;
  }
}

TEST(GradNorm, TaskThatLagsBehindGainsWeight) {
  auto gradnorm = make("gradnorm", 2);
  Eigen::VectorXd weights;
  for (int k = 0; k < 30; ++k) {
    const Eigen::Vector2d losses(1, k == 0 ? 1 : 0.3);
    weights = run_step(*gradnorm, {k, 1, losses, {}, TaskGradients::Identity(2, 2)}).weights.shared;
  }
  EXPECT_GT(weights(0), 1.2);
}

double smooth_maximum(const Eigen::VectorXd& losses, const Eigen::VectorXd& nadir, double mu) {
  const double m = static_cast<double>(losses.size());
  return m * mu * std::log((losses.cwiseQuotient(nadir).array().log() / mu).exp().sum());
}

TEST(Stch, WeightsAreTheDerivativeOfTheSmoothMaximum) {
  Rng rng(2);
  for (const int m : all_sizes) {
    const Eigen::VectorXd losses = positive(m, rng), nadir = positive(m, rng);
    const std::vector<double> given(nadir.begin(), nadir.end());
    auto stch = make("stch", m, {{"mu", 0.5}, {"nadir", given}});
    const Eigen::VectorXd weights = run_step(*stch, with_losses(0, 1, losses)).weights.shared;
    for (int i = 0; i < m; ++i) {
      const Eigen::VectorXd shift = 1e-6 * Eigen::VectorXd::Unit(m, i);
      const double slope =
          (smooth_maximum(losses + shift, nadir, 0.5) - smooth_maximum(losses - shift, nadir, 0.5)) / 2e-6;
      EXPECT_NEAR(weights(i), slope, 1e-5 * (1 + slope));
    }
  }
}

TEST(Stch, NadirIsTheMeanOfTheEpochAfterTheWarmUp) {
  auto measured = make("stch", 2, {{"warmup_epochs", 1}});
  auto given = make("stch", 2, {{"nadir", {2, 3}}});
  const std::vector<Eigen::Vector2d> losses{{9, 9}, {9, 9}, {1, 2}, {3, 4}, {0.5, 2}};
  for (int k = 0; k < 4; ++k) {
    const auto& l = losses[static_cast<std::size_t>(k)];
    const Eigen::VectorXd weights = run_step(*measured, with_losses(k, 2, l)).weights.shared;
    EXPECT_NEAR((weights - l.cwiseInverse()).norm(), 0, tight) << "the log losses in the warm-up, k=" << k;
  }
  const Aggregate a = run_step(*measured, with_losses(4, 2, losses[4])),
                  b = run_step(*given, with_losses(0, 2, losses[4]));
  EXPECT_NEAR((a.weights.shared - b.weights.shared).norm(), 0, tight);
}

TEST(Stch, SmallMuLooksAtTheWorstTaskOnly) {
  auto stch = make("stch", 3, {{"mu", 0.01}, {"nadir", {1, 1, 1}}});
  const Eigen::VectorXd weights = run_step(*stch, with_losses(0, 1, Eigen::Vector3d(1, 2, 0.5))).weights.shared;
  EXPECT_NEAR(weights(1), 1.5, 1e-9);
  EXPECT_NEAR(weights(0) + weights(2), 0, 1e-9);
}

/// The paper's own form: no epochs, no logarithms, losses of any sign.
TEST(Stch, OfTheLossesThemselvesIsTheDerivativeOfTheirSmoothMaximum) {
  Rng rng(3);
  for (const int m : all_sizes) {
    const Eigen::VectorXd losses = positive(m, rng).array() - 1, ideal = -positive(m, rng), share = positive(m, rng);
    const auto list = [](const Eigen::VectorXd& values) { return std::vector<double>(values.begin(), values.end()); };
    const double mu = 0.4;
    auto stch = make("stch", m, {{"form", "loss"}, {"mu", mu}, {"ideal", list(ideal)}, {"preference", list(share)}});
    const auto maximum = [&](const Eigen::VectorXd& l) {
      return mu * std::log((share.cwiseProduct(l - ideal).array() / mu).exp().sum());
    };
    const Aggregate answer = run_step(*stch, with_losses(7, 1, losses));
    EXPECT_EQ(answer.weights.shared, answer.weights.heads);
    for (int i = 0; i < m; ++i) {
      const Eigen::VectorXd shift = 1e-6 * Eigen::VectorXd::Unit(m, i);
      EXPECT_NEAR(answer.weights.shared(i), (maximum(losses + shift) - maximum(losses - shift)) / 2e-6, 1e-8);
    }
  }
}

TEST(Stch, OfTheLossesThemselvesGoesFromTheMeanToTheWorstTask) {
  const Eigen::Vector3d losses(1, 2, -0.5);
  const auto weights = [&](double mu) {
    return run_step(*make("stch", 3, {{"form", "loss"}, {"mu", mu}}), with_losses(0, 1, losses)).weights.shared;
  };
  EXPECT_LE((weights(1e6) - Eigen::Vector3d::Constant(1.0 / 9)).norm(), 1e-6);
  for (const double mu : {1e-3, 1e-308}) {
    EXPECT_LE((weights(mu) - Eigen::Vector3d(0, 1.0 / 3, 0)).norm(), 1e-12) << mu;
  }
}

TEST(Stch, AReferencePointOfTheOtherFormIsRefused) {
  EXPECT_EQ(kind_of_error([] { make("stch", 2, {{"form", "loss"}, {"nadir", {1, 1}}}); }), ErrorKind::config);
  EXPECT_EQ(kind_of_error([] { make("stch", 2, {{"ideal", {0, 0}}}); }), ErrorKind::config);
}

TEST(Stch, LaterEpochWithoutANadirIsRefused) {
  EXPECT_EQ(kind_of_error([] { run_step(*make("stch", 2), with_losses(9, 1, Eigen::Vector2d(1, 1))); }),
            ErrorKind::problem);
}

TEST(Excess, TaskWhoseGradientDoesNotFallGains) {
  auto excess = make("excess", 2);
  TaskGradients rows = TaskGradients::Ones(2, 3);
  Aggregate answer;
  for (int k = 0; k < 20; ++k) {
    answer = run_step(*excess, {k, 1, Eigen::Vector2d(1, 1), {}, rows});
    EXPECT_LE((answer.direction - rows.transpose() * answer.weights.shared).norm(), 1e-14) << "the rows stay";
    EXPECT_NEAR(answer.weights.shared.sum(), 2, tight);
    rows.row(0) *= 0.8;
  }
  EXPECT_GT(answer.weights.shared(1), answer.weights.shared(0) + 0.01);
}

/// Ratios of excess risks have no unit: scaling one task by a constant leaves the weights alone.
TEST(Excess, UnitOfALossDoesNotMatter) {
  Rng rng(3);
  auto plain = make("excess", 3), scaled = make("excess", 3);
  for (int k = 0; k < 10; ++k) {
    Given given = random_given(*plain, k, 3, rng);
    const Eigen::VectorXd weights = run_step(*plain, given).weights.shared;
    given.rows.row(1) *= 1e3;
    EXPECT_LE((run_step(*scaled, given).weights.shared - weights).norm(), 1e-6);
  }
}

TEST(Famo, FirstWeightsAreInverseLossesOnTheSimplex) {
  Rng rng(4);
  for (const int m : all_sizes) {
    const Eigen::VectorXd losses = positive(m, rng);
    const Eigen::VectorXd weights = run_step(*make("famo", m), with_losses(0, 1, losses)).weights.shared;
    EXPECT_NEAR(weights.sum(), 1, tight);
    EXPECT_LE((weights.cwiseProduct(losses).array() - weights(0) * losses(0)).abs().maxCoeff(), 1e-6);
  }
}

TEST(Famo, TaskThatFallsLeastGains) {
  auto famo = make("famo", 3);
  Aggregate answer;
  for (int k = 0; k < 40; ++k) {
    Given given = with_losses(k, 1, Eigen::Vector3d::Ones());
    given.losses_after = Eigen::Vector3d(0.9, 0.99, 0.95);
    answer = run_step(*famo, given);
  }
  const Eigen::VectorXd weights = answer.weights.shared;  // equal losses: the weights are softmax(xi)
  EXPECT_GT(weights(1), weights(2));
  EXPECT_GT(weights(2), weights(0));
}

TEST(Famo, EqualDecreasesLeaveTheWeightsEqual) {
  auto famo = make("famo", 4);
  Given given = with_losses(0, 1, Eigen::Vector4d::Ones());
  given.losses_after = Eigen::Vector4d::Constant(0.5);
  for (; given.k < 20; ++given.k) {
    EXPECT_NEAR((run_step(*famo, given).weights.shared.array() - 0.25).abs().maxCoeff(), 0, tight);
  }
}

TEST(Famo, LossBelowTheGivenMinimumIsRefused) {
  auto famo = make("famo", 2, {{"min_losses", {0.5, 0}}});
  EXPECT_EQ(kind_of_error([&] { run_step(*famo, with_losses(0, 1, Eigen::Vector2d(0.4, 1))); }), ErrorKind::numeric);
}

}  // namespace
}  // namespace moblo::aggregation::testing
