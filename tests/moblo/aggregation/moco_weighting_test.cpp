#include "moblo/aggregation/moco_weighting.hpp"

#include <gtest/gtest.h>

#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::aggregation {
namespace {

Eigen::VectorXd random_vector(Eigen::Index size, double scale, Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return scale * rng.normal(); });
}

/// The nearest point p of a convex set is known by <x - p, v - p> <= 0 for every vertex v.
TEST(SimplexProjection, SimplexGivesTheNearestPoint) {
  Rng rng(0);
  for (const Eigen::Index m : {1, 2, 3, 11}) {
    for (const double scale : {1e-8, 1.0, 1e6}) {
      const Eigen::VectorXd x = random_vector(m, scale, rng), p = project_onto_simplex(x);
      EXPECT_NEAR(p.sum(), 1, 1e-12);
      EXPECT_GE(p.minCoeff(), 0);
      for (Eigen::Index i = 0; i < m; ++i) {
        EXPECT_LE((x - p).dot(Eigen::VectorXd::Unit(m, i) - p), 1e-9 * (1 + scale)) << m << " " << scale;
      }
    }
  }
}

TEST(SimplexProjection, PointsOfTheSimplexStay) {
  const Eigen::Vector3d inside(0.2, 0.5, 0.3), vertex(0, 1, 0);
  EXPECT_LT((project_onto_simplex(inside) - inside).norm(), 1e-15);
  EXPECT_LT((project_onto_simplex(vertex) - vertex).norm(), 1e-15);
}

TEST(SimplexProjection, SoftmaxSurvivesLargeEntries) {
  const Eigen::VectorXd weights = softmax(Eigen::Vector2d(1e6, 1e6 - 1));
  EXPECT_NEAR(weights(0), 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(weights.sum(), 1, 1e-15);
}

TEST(MocoWeighting, StaysOnTheSimplexWithBothProjections) {
  Rng rng(1);
  for (const auto projection : {SimplexProjection::softmax, SimplexProjection::simplex}) {
    MocoWeighting weighting(0.1, projection);
    weighting.start(4);
    for (int k = 0; k < 100; ++k) {
      const Eigen::MatrixXd rows = Eigen::MatrixXd::NullaryExpr(4, 6, [&] { return 10 * rng.normal(); });
      const Eigen::VectorXd weights = weighting.weigh(rows * rows.transpose(), 0.5).weights;
      EXPECT_NEAR(weights.sum(), 1, 1e-12);
      EXPECT_GE(weights.minCoeff(), 0);
    }
  }
}

/// With the nearest-point projection the weights descend on 1/2 lambda'G lambda: they end at MGDA's. For two rows with
/// <g_1, g_2> < |g_i|^2 these are (G_22 - G_12, G_11 - G_12) over their sum.
TEST(MocoWeighting, SimplexProjectionTendsToTheMinNormWeights) {
  Eigen::Matrix2d gramian;
  gramian << 4, 0.5, 0.5, 1;
  MocoWeighting weighting(0, SimplexProjection::simplex);
  weighting.start(2);
  for (int k = 0; k < 500; ++k) weighting.weigh(gramian, 0.1);
  EXPECT_NEAR(weighting.weigh(gramian, 0.1).weights(0), 0.5 / 4, 1e-9);
}

TEST(MocoWeighting, OneStepIsTheFormula) {
  Eigen::Matrix2d gramian;
  gramian << 2, -1, -1, 3;
  const double gamma = 0.2, rho = 0.5;
  MocoWeighting weighting(rho, SimplexProjection::softmax);
  weighting.start(2);
  const double a = 0.5 - gamma * (0.5 * (2 - 1) + rho * 0.5), b = 0.5 - gamma * (0.5 * (3 - 1) + rho * 0.5);
  EXPECT_NEAR(weighting.weigh(gramian, gamma).weights(0), std::exp(a) / (std::exp(a) + std::exp(b)), 1e-15);
}

}  // namespace
}  // namespace moblo::aggregation
