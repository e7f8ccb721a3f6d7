#include <Eigen/SVD>

#include "tests/moblo/aggregation/later/driver.hpp"

/// Aligned-MTL, DB-MTL, FairGrad, UPGrad, DualProj, ConFIG: directions from the gradients.
namespace moblo::aggregation::testing {
namespace {

constexpr double rounding = 1e-9;

Aggregate combine(const std::string& name, const TaskGradients& rows, const Json& options = Json::object()) {
  return run_step(*make(name, rows.rows(), options), {0, 1, Eigen::VectorXd::Ones(rows.rows()), {}, rows});
}

void expect_no_conflict(const TaskGradients& rows, const Aggregate& answer) {
  const double scale = magnitude(rows, answer.weights.shared);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    EXPECT_GE(rows.row(i).dot(answer.direction), -rounding * rows.row(i).norm() * scale);
  }
}

TEST(UpGrad, ConflictsWithNoGradient) {
  for_each_family(11,
                  [](Family, const TaskGradients& rows, Rng&) { expect_no_conflict(rows, combine("upgrad", rows)); });
}

TEST(UpGrad, IsLinearUnderScalingOfTheRows) {
  for_each_family(12, [](Family, const TaskGradients& rows, Rng& rng) {
    const Eigen::VectorXd a = positive(rows.rows(), rng), b = positive(rows.rows(), rng);
    const auto scaled = [&](const Eigen::VectorXd& by) { return combine("upgrad", by.asDiagonal() * rows); };
    const Aggregate left = scaled(a), right = scaled(b), both = scaled(a + b);
    const double scale = magnitude((a + b).asDiagonal() * rows, both.weights.shared);
    EXPECT_LE((left.direction + right.direction - both.direction).norm(), 1e-6 * scale);
  });
}

TEST(UpGrad, GradientsWithoutConflictAreAveraged) {
  const TaskGradients rows{{1, 0.5, 0}, {0.2, 1, 0.3}, {0, 0.1, 2}};
  EXPECT_LE((combine("upgrad", rows).weights.shared.array() - 1.0 / 3).abs().maxCoeff(), 1e-15);
  EXPECT_LE((combine("dualproj", rows).weights.shared.array() - 1.0 / 3).abs().maxCoeff(), 1e-15);
}

TEST(DualProj, ConflictsWithNoGradientAndIsTheNearestSuchToTheMean) {
  for_each_family(13, [](Family, const TaskGradients& rows, Rng&) {
    const Aggregate answer = combine("dualproj", rows);
    expect_no_conflict(rows, answer);
    const Eigen::VectorXd mean = rows.colwise().mean().transpose();
    const double scale = magnitude(rows, answer.weights.shared);
    EXPECT_NEAR((answer.direction - mean).dot(answer.direction), 0, rounding * scale * scale);
    EXPECT_GE(answer.weights.shared.minCoeff(), 1.0 / static_cast<double>(rows.rows()) - 1e-15);
  });
}

TEST(DualProj, KnownExample) {
  const TaskGradients rows{{-4, 1, 1}, {6, 1, 1}};
  const Eigen::Vector3d expected(0.5556, 1.1111, 1.1111);
  EXPECT_LE((combine("dualproj", rows).direction - expected).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Preference, ScalesTheDirectionOfHomogeneousOnes) {
  const TaskGradients rows{{-4, 1, 1}, {6, 1, 1}};
  for (const char* name : {"upgrad", "dualproj", "aligned"}) {
    const Aggregate one = combine(name, rows, {{"preference", {1, 1}}}),
                    three = combine(name, rows, {{"preference", {3, 3}}});
    EXPECT_LE((3 * one.direction - three.direction).norm(), 1e-12) << name;
  }
}

/// BJ must have equal singular values: B is read off by unit preferences, column by column.
TEST(Aligned, AllSingularValuesBecomeEqual) {
  for (const char* scale : {"min", "median", "rmse"}) {
    for_each_family(14, [&](Family family, const TaskGradients& rows, Rng&) {
      if (family == Family::badly_scaled && rows.rows() > 11) return;
      const Eigen::Index m = rows.rows();
      TaskGradients aligned(m, rows.cols());
      for (Eigen::Index i = 0; i < m; ++i) {
        std::vector<double> unit(static_cast<std::size_t>(m), 0.0);
        unit[static_cast<std::size_t>(i)] = 1;
        aligned.row(i) = combine("aligned", rows, {{"scale", scale}, {"preference", unit}}).direction.transpose();
      }
      const Eigen::VectorXd after = Eigen::JacobiSVD<TaskGradients>(aligned).singularValues();
      const Eigen::VectorXd before = Eigen::JacobiSVD<TaskGradients>(rows).singularValues();
      if (before(0) == 0) return;
      ASSERT_GT(after(0), 0);
      double smallest_kept = before(0);
      for (Eigen::Index i = 0; i < m; ++i) {
        if (after(i) > 1e-3 * after(0)) {
          EXPECT_NEAR(after(i), after(0), 1e-5 * after(0));
          smallest_kept = before(i);
        }
      }
      if (scale == std::string("min")) {
        EXPECT_NEAR(after(0), smallest_kept, 1e-5 * smallest_kept);
      }
    });
  }
}

TEST(Preference, WrongNumberIsNamed) {
  for (const char* name : {"aligned", "stch", "upgrad", "dualproj", "config"}) {
    EXPECT_EQ(kind_of_error([&] { make(name, 3, {{"preference", {1, 2}}}); }), ErrorKind::config) << name;
  }
}

TEST(Aligned, KeepsTheLargestSingularValueWhateverTheTolerance) {
  Rng rng(5);
  const TaskGradients rows = make_gradients(Family::conflicted, 3, rng);
  EXPECT_TRUE(combine("aligned", rows, {{"rank_tolerance", 0.9}}).direction.allFinite());
}

TEST(Aligned, DoesNotChangeOrthogonalGradientsOfOneLength) {
  const Aggregate answer = combine("aligned", 3 * TaskGradients::Identity(4, 6));
  EXPECT_LE((answer.weights.shared.array() - 1).abs().maxCoeff(), 1e-14);
}

TEST(Aligned, GradientsThatAreAllZeroStay) {
  EXPECT_EQ(combine("aligned", TaskGradients::Zero(3, 4)).weights.shared, Eigen::VectorXd::Ones(3));
}

TEST(DbMtl, RowsBecomeEquallyLong) {
  for_each_family(15, [](Family, const TaskGradients& rows, Rng& rng) {
    auto dbmtl = make("dbmtl", rows.rows());
    const Eigen::VectorXd losses = positive(rows.rows(), rng);
    const Aggregate answer = run_step(*dbmtl, {0, 1, losses, {}, rows});
    const Eigen::VectorXd lengths =
        rows.rowwise().norm().cwiseProduct(answer.weights.shared).cwiseQuotient((losses.array() + 1e-8).matrix());
    for (const double length : lengths) {
      if (length > 0) {
        EXPECT_NEAR(length, lengths.maxCoeff(), 1e-12 * lengths.maxCoeff());
      }
    }
  });
}

TEST(DbMtl, UnitOfALossDoesNotMatter) {
  Rng rng(16);
  auto plain = make("dbmtl", 3), scaled = make("dbmtl", 3);
  for (int k = 0; k < 6; ++k) {
    Given given = random_given(*plain, k, 3, rng);
    const Eigen::VectorXd direction = run_step(*plain, given).direction;
    given.rows.row(2) *= 50;
    given.losses(2) *= 50;
    EXPECT_LE((run_step(*scaled, given).direction - direction).norm(), 1e-6 * direction.norm());
  }
}

/// That the lengths are too far apart shows after it has averaged.
TEST(DbMtl, ARefusalChangesNothing) {
  auto dbmtl = make("dbmtl", 2);
  const auto before = dbmtl->save();
  const TaskGradients rows = Eigen::Vector2d(1e-150, 1e150).asDiagonal();
  EXPECT_THROW(run_step(*dbmtl, {0, 1, Eigen::VectorXd::Ones(2), {}, rows}), Error);
  EXPECT_EQ(dbmtl->save().arrays, before.arrays);
}

/// Without a past the direction is the sum of the unit gradients, times the longest gradient of a log loss.
TEST(DbMtl, BetaZeroKeepsNoPastAndSigmaForgetsIt) {
  Rng rng(17);
  for (const Json& options : {Json{{"beta", 0}}, Json{{"beta", 0.9}, {"beta_sigma", 30}}}) {
    auto dbmtl = make("dbmtl", 2, options);
    for (int k = 0; k < 5; ++k) {
      const Given given = random_given(*dbmtl, k, 2, rng);
      const Eigen::VectorXd direction = run_step(*dbmtl, given).direction;
      const double longest_log = given.rows.rowwise().norm().cwiseQuotient(given.losses).maxCoeff();
      const Eigen::VectorXd units = given.rows.rowwise().normalized().colwise().sum().transpose();
      if (k > 0) {
        EXPECT_LE((direction - longest_log * units).norm(), 1e-6 * direction.norm());
      }
    }
  }
}

TEST(FairGrad, EachTaskGetsItsFairShare) {
  for (const double alpha : {0.5, 1.0, 2.0, 5.0}) {
    for_each_family(18, [&](Family family, const TaskGradients& rows, Rng&) {
      if (family == Family::opposed && rows.rows() > 1) return;
      if (family == Family::badly_scaled && alpha != 1) return;  // a share may lie below the rounding of the Gramian
      const Aggregate answer = combine("fairgrad", rows, {{"alpha", alpha}});
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        if (rows.row(i).norm() == 0) continue;
        const double share = std::pow(answer.weights.shared(i), -1 / alpha);
        EXPECT_NEAR(rows.row(i).dot(answer.direction), share, 1e-6 * share) << "alpha " << alpha;
      }
    });
  }
}

TEST(FairGrad, ProportionalFairnessDoesNotKnowTheUnits) {
  for_each_family(19, [](Family family, const TaskGradients& rows, Rng& rng) {
    if (family == Family::opposed || family == Family::zero_row) return;
    const Eigen::VectorXd scale = positive(rows.rows(), rng);
    const Eigen::VectorXd a = combine("fairgrad", rows).direction;
    const Eigen::VectorXd b = combine("fairgrad", scale.asDiagonal() * rows).direction;
    EXPECT_LE((a - b).norm(), 1e-6 * a.norm());
  });
}

TEST(FairGrad, GradientsThatCancelAreRefused) {
  Rng rng(20);
  for (const int m : {2, 3, 11, 40}) {
    TaskGradients rows = normal_rows(m, m + 4, rng);
    rows.row(m - 1) = -rows.topRows(m - 1).colwise().sum();
    EXPECT_EQ(kind_of_error([&] { combine("fairgrad", rows); }), ErrorKind::numeric) << m;
  }
}

TEST(ConFig, CosinesAreEqualAndPositiveWhereTheGradientsAreIndependent) {
  for_each_family(21, [](Family family, const TaskGradients& rows, Rng&) {
    if (family == Family::opposed || family == Family::zero_row) return;
    const Eigen::VectorXd unit = combine("config", rows).direction.normalized();
    const Eigen::VectorXd cosines = rows.rowwise().normalized() * unit;
    EXPECT_GT(cosines.minCoeff(), 0);
    EXPECT_NEAR(cosines.minCoeff(), cosines.maxCoeff(), 1e-6);
  });
}

TEST(ConFig, LengthIsTheSumOfTheProjections) {
  for_each_family(22, [](Family, const TaskGradients& rows, Rng&) {
    const Eigen::VectorXd direction = combine("config", rows).direction;
    if (direction.norm() == 0) return;
    EXPECT_NEAR((rows * direction.normalized()).sum(), direction.norm(), 1e-7 * rows.rowwise().norm().sum());
  });
}

TEST(ConFig, PreferenceSetsTheProportionOfTheCosines) {
  const TaskGradients rows{{1, 0.2, 0, 0}, {-0.5, 1, 0.3, 0}, {0.1, 0, 4, 1}};
  const Eigen::VectorXd unit = combine("config", rows, {{"preference", {1, 2, 3}}}).direction.normalized();
  const Eigen::VectorXd cosines = rows.rowwise().normalized() * unit;
  EXPECT_NEAR(cosines(1), 2 * cosines(0), 1e-12);
  EXPECT_NEAR(cosines(2), 3 * cosines(0), 1e-12);
}

/// Unit rows, the last almost a combination of the others: the smallest singular value is `share` of the largest.
TaskGradients almost_dependent(Eigen::Index m, double share, Rng& rng) {
  TaskGradients rows = normal_rows(m, m + 7, rng);
  rows.row(m - 1) = rows.topRows(m - 1).colwise().sum();
  const Eigen::RowVectorXd apart = normal_rows(1, m + 7, rng);
  const auto moved = [&](double by) -> TaskGradients {
    TaskGradients all = rows;
    all.row(m - 1) += by * apart;
    return all.rowwise().normalized();
  };
  double low = 0, high = 10;
  for (int k = 0; k < 80; ++k) {
    const Eigen::VectorXd values = Eigen::JacobiSVD<TaskGradients>(moved((low + high) / 2)).singularValues();
    (values(m - 1) < share * values(0) ? low : high) = (low + high) / 2;
  }
  return moved(high);
}

/// What the pseudo-inverse of the unit gradients themselves says, from their singular values.
Eigen::VectorXd by_pseudo_inverse(const TaskGradients& units) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(units, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd coordinates = svd.matrixU().transpose() * Eigen::VectorXd::Ones(units.rows());
  return (svd.matrixV() * coordinates.cwiseQuotient(svd.singularValues())).normalized();
}

TEST(ConFig, KeepsEveryDirectionThatAGramianInDoublePrecisionResolves) {
  Rng rng(23);
  for (const int m : {2, 3, 11}) {
    for (const double share : {1e-2, 1e-3, 2.5e-4, 3e-5, 1e-5, 1e-6}) {
      SCOPED_TRACE("m = " + std::to_string(m) + ", share " + std::to_string(share));
      const TaskGradients rows = almost_dependent(m, share, rng);
      const Aggregate answer = combine("config", rows);
      EXPECT_EQ(answer.weights.status, "rank " + std::to_string(m));
      EXPECT_LE((answer.direction.normalized() - by_pseudo_inverse(rows)).norm(), 1e-7);
      const Eigen::VectorXd cosines = rows * answer.direction.normalized();
      EXPECT_GT(cosines.minCoeff(), 0);
      EXPECT_LE(cosines.maxCoeff() / cosines.minCoeff(), 1 + 1e-14 / (share * share)) << cosines.transpose();
      EXPECT_NEAR(answer.direction.norm() / cosines.sum(), 1, 1e-14 / (share * share));
    }
  }
}

TEST(ConFig, CutsWhatIsRoundingOfTheGramian) {
  for (const int m : {2, 3, 11, 40}) {
    for (const int columns : {m + 5, 3000}) {
      for (int seed = 0; seed < 20; ++seed) {
        Rng rng(derive_seed(24, "dependent", static_cast<std::uint64_t>(seed)));
        TaskGradients rows = normal_rows(m, columns, rng);
        rows.row(m - 1) = 0.3 * rows.row(0) - (m > 2 ? 0.7 : 0.0) * rows.row(m / 2);
        EXPECT_EQ(combine("config", rows).weights.status, "rank " + std::to_string(m - 1)) << m << " " << columns;
        rows = rows.cast<float>().cast<double>().eval();  // 6e-8 apart: single precision is within it too
        EXPECT_EQ(combine("config", rows).weights.status, "rank " + std::to_string(m - 1)) << m << " " << columns;
      }
    }
  }
}

TEST(ConFig, RankToleranceCutsMore) {
  Rng rng(25);
  const TaskGradients rows = almost_dependent(3, 1e-4, rng);
  EXPECT_EQ(combine("config", rows, {{"rank_tolerance", 1e-9}}).weights.status, "rank 3");
  EXPECT_EQ(combine("config", rows, {{"rank_tolerance", 1e-7}}).weights.status, "rank 2");
}

TEST(Aligned, WithoutAToleranceKeepsWhatTheGramianResolves) {
  Rng rng(26);
  for (const double share : {1e-3, 1e-5, 1e-6}) {
    const TaskGradients rows = almost_dependent(3, share, rng);
    EXPECT_EQ(combine("aligned", rows, {{"rank_tolerance", 0}}).weights.status, "rank 3") << share;
  }
  TaskGradients rows = normal_rows(3, 1000, rng);
  rows.row(2) = 0.3 * rows.row(0) - 0.7 * rows.row(1);
  EXPECT_EQ(combine("aligned", rows, {{"rank_tolerance", 0}}).weights.status, "rank 2");
}

TEST(ConFig, OpposedGradientsGiveNoDirection) {
  const TaskGradients rows{{1, 0.3, 2}, {-2, -0.6, -4}};
  EXPECT_EQ(combine("config", rows).weights.shared, Eigen::VectorXd::Zero(2));
}

}  // namespace
}  // namespace moblo::aggregation::testing
