// The problems with a known front know it: closed forms against each other, against autograd and against brute force.
#include "moblo/conformance/known_front.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/conformance/front_fonseca.hpp"
#include "moblo/conformance/front_octant.hpp"
#include "moblo/conformance/front_quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::conformance::known_front_test {
namespace {

void put(ParameterPack& pack, const Eigen::VectorXd& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) pack.values()[i] = values(i);
}

/// At omega, with the alpha whose lower solution it is.
void put_solved(FrontProblem& problem, const Eigen::VectorXd& omega) {
  put(problem.upper(), problem.alpha_of(omega));
  put(problem.lower(), omega);
}

LossVector losses_at(FrontProblem& problem, const Eigen::VectorXd& omega) {
  put_solved(problem, omega);
  LossVector losses;
  for (const auto& loss : problem.upper_losses({})) losses.push_back(loss.item().toDouble());
  return losses;
}

/// min over the simplex of |sum lambda_i grad F_i|.
double stationarity(FrontProblem& problem, const Eigen::VectorXd& omega) {
  put_solved(problem, omega);
  const auto losses = problem.upper_losses({});
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(losses.size()), omega.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto gradient = torch::autograd::grad({losses[i]}, {problem.lower().leaves().front()}, {}, true)[0];
    for (Eigen::Index j = 0; j < omega.size(); ++j)
      rows(static_cast<Eigen::Index>(i), j) = gradient[j].item().toDouble();
  }
  qp::MinNormSolver solver;
  const auto& nearest = solver.solve(Eigen::MatrixXd(rows * rows.transpose()));
  return (rows.transpose() * nearest.weights).norm();
}

Eigen::VectorXd normal_vector(Eigen::Index size, Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return rng.normal(); });
}

LossVector random_preference(std::size_t objectives, Rng& rng) {
  LossVector preference;
  for (std::size_t i = 0; i < objectives; ++i) preference.push_back(std::exp(1.5 * rng.normal()));
  return preference;
}

double gap(const LossVector& a, const LossVector& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += std::pow(a[i] - b[i], 2);
  return std::sqrt(square);
}

std::vector<std::unique_ptr<FrontProblem>> all_problems() {
  std::vector<std::unique_ptr<FrontProblem>> all;
  for (const std::int64_t dimension : {2, 5}) {
    const auto seed = static_cast<std::uint64_t>(dimension);
    all.push_back(std::make_unique<FrontQuadratic>(FrontQuadraticOptions{.dimension = dimension}, seed));
    all.push_back(std::make_unique<FrontOctant>(FrontOctantOptions{.dimension = dimension}, seed));
    for (const double half : {0.5, 1.0, 1.5}) {
      all.push_back(
          std::make_unique<FrontFonseca>(FrontFonsecaOptions{.dimension = dimension, .half_distance = half}, seed));
    }
  }
  return all;
}

/// The Pareto set, seen from outside: where the distance to it is zero.
Eigen::VectorXd some_solution(FrontProblem& problem, Rng& rng) {
  class Reach : public FrontProblem {
   public:
    using FrontProblem::nearest_solution;
  };
  const auto nearest = &Reach::nearest_solution;
  return (problem.*nearest)(normal_vector(problem.omega().size(), rng));
}

TEST(KnownFront, SolutionsLieOnTheFrontAndBalanceTheGradients) {
  Rng rng(3);
  for (const auto& problem : all_problems()) {
    for (int trial = 0; trial < 20; ++trial) {
      const auto omega = some_solution(*problem, rng);
      EXPECT_NEAR(problem->front().distance(losses_at(*problem, omega)), 0, 1e-8);
      EXPECT_NEAR(*problem->distance_to_solution_set(), 0, 1e-12);
      EXPECT_NEAR(problem->lower_loss({}).item().toDouble(), 0, 1e-24);
      EXPECT_NEAR(stationarity(*problem, omega), 0, 1e-9);
    }
  }
}

TEST(KnownFront, ElsewhereTheGradientsDoNotBalanceAndTheLossesAreWorseThanTheFront) {
  Rng rng(4);
  for (const auto& problem : all_problems()) {
    for (int trial = 0; trial < 20; ++trial) {
      const Eigen::VectorXd omega = normal_vector(problem->omega().size(), rng);
      const auto losses = losses_at(*problem, omega);
      if (*problem->distance_to_solution_set() < 1e-3) continue;  // the octant of two dimensions has no other point
      EXPECT_GT(stationarity(*problem, omega), 1e-9);
      LossVector preference;
      for (const double loss : losses) preference.push_back(1 / loss);  // its ray goes through the losses
      const auto best = problem->front().on_ray(preference);
      ASSERT_TRUE(best);
      for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_LT((*best)[i], losses[i]);
    }
  }
}

TEST(KnownFront, DistanceToTheSolutionsIsTheLengthOfTheWayStraightOutOfThem) {
  Rng rng(5);
  for (const auto& problem : all_problems()) {
    const Eigen::Index size = problem->omega().size();
    for (int trial = 0; trial < 20; ++trial) {
      // A step by v in omega and by -v in omega*(alpha) is normal to all solutions.
      const Eigen::VectorXd omega = some_solution(*problem, rng), step = normal_vector(size, rng);
      put(problem->upper(), problem->alpha_of(omega - step));
      put(problem->lower(), omega + step);
      EXPECT_NEAR(*problem->distance_to_solution_set(), std::sqrt(2) * step.norm(), 1e-9);
    }
  }
}

TEST(KnownFront, PointsOfRaysLieOnBoth) {
  Rng rng(6);
  for (const auto& problem : all_problems()) {
    const auto& front = problem->front();
    for (int trial = 0; trial < 50; ++trial) {
      const auto preference = random_preference(front.objectives(), rng);
      const auto point = front.on_ray(preference);
      ASSERT_TRUE(point);
      EXPECT_NEAR(front.distance(*point), 0, 1e-8);
      EXPECT_NEAR(distance_to_ray(*point, preference), 0, 1e-12);
      const LossVector reference(front.objectives(), -0.3 * rng.uniform());
      if (const auto moved = front.on_ray(preference, reference)) {
        EXPECT_NEAR(front.distance(*moved), 0, 1e-8);
        EXPECT_NEAR(distance_to_ray(*moved, preference, reference), 0, 1e-12);
      }
    }
  }
}

TEST(KnownFront, RaysThatMissItHaveNoPoint) {
  for (const auto& problem : all_problems()) {
    const auto& front = problem->front();
    const std::size_t m = front.objectives();
    LossVector below(m, 0.0), preference(m, 1.0);
    below[0] = -10;
    preference[0] = 1000;  // F_1 stays near -10
    EXPECT_FALSE(front.on_ray(preference, below));
    EXPECT_FALSE(front.on_ray(LossVector(m, 1.0), LossVector(m, 2.0))) << "the front lies behind z";
  }
}

TEST(KnownFront, DistanceIsThatToTheNearestOfManyPoints) {
  Rng rng(7);
  for (const auto& problem : all_problems()) {
    const auto& front = problem->front();
    const std::size_t count = front.objectives() == 2 ? 4001 : 60000;
    const double spacing = front.objectives() == 2 ? 1e-3 : 2e-2;
    const auto points = front.points(count);
    ASSERT_EQ(points.size(), count);
    for (int trial = 0; trial < 5; ++trial) {
      LossVector losses;
      for (std::size_t i = 0; i < front.objectives(); ++i) losses.push_back(1.5 * rng.uniform() - 0.2);
      double nearest = 1e9;
      for (const auto& point : points) nearest = std::min(nearest, gap(point, losses));
      const double distance = front.distance(losses);
      EXPECT_LE(distance, nearest + 1e-9);
      EXPECT_GE(distance, nearest - spacing);
    }
  }
}

TEST(KnownFront, PointsSpreadOverItsWholeDiameter) {
  for (const auto& problem : all_problems()) {
    const auto& front = problem->front();
    const auto points = front.points(200);
    double widest = 0;
    for (const auto& a : points) {
      EXPECT_NEAR(front.distance(a), 0, 1e-8);
      for (const auto& b : points) widest = std::max(widest, gap(a, b));
    }
    EXPECT_LE(widest, front.diameter() + 1e-12);
    EXPECT_GE(widest, 0.93 * front.diameter());
  }
}

TEST(FrontCurve, PointsAreEquallyFarFromTheirNeighbours) {
  const FrontFonseca problem({}, 0);
  const auto points = problem.front().points(300);
  for (std::size_t i = 2; i < points.size(); ++i) {
    EXPECT_NEAR(gap(points[i], points[i - 1]), gap(points[1], points[0]), 0.04 * gap(points[1], points[0]));
  }
  EXPECT_EQ(points.front()[0], 0);
  EXPECT_EQ(points.back()[1], 0);
}

TEST(SphereOctant, PointsHaveTheMeanOfTheSurface) {
  const auto points = SphereOctant().points(5000);
  for (std::size_t i = 0; i < 3; ++i) {
    double mean = 0;
    for (const auto& point : points) mean += point[i] / 5000;
    EXPECT_NEAR(mean, 0.5, 1e-3);  // the integral of a coordinate over an octant is half of its area
  }
}

TEST(FrontQuadratic, PointOfARayInClosedForm) {
  const FrontQuadratic problem({}, 1);
  Rng rng(8);
  for (int trial = 0; trial < 50; ++trial) {
    const auto r = random_preference(2, rng);
    const double t = std::pow(1 / std::sqrt(r[0]) + 1 / std::sqrt(r[1]), -2);  // sqrt F_1 + sqrt F_2 = 1
    const auto point = *problem.front().on_ray(r);
    EXPECT_NEAR(point[0], t / r[0], 1e-13);
    EXPECT_NEAR(point[1], t / r[1], 1e-13);
  }
}

/// Sign of the turn from a to b to c; positive: the front is convex there.
double turn(const LossVector& a, const LossVector& b, const LossVector& c) {
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

TEST(FrontFonseca, IsConcaveWhereItsFormulaSays) {
  for (const double half : {0.5, 0.7, 0.75, 1.0, 1.5}) {
    const FrontFonseca problem({.half_distance = half}, 2);
    const double edge = 1 - 1 / (2 * half * half), h = 1e-3;
    for (double t = -0.98; t < 0.98; t += 0.02) {
      if (std::abs(t * t - edge) < 0.01) continue;
      const double bend = turn(problem.front_at(t - h), problem.front_at(t), problem.front_at(t + h));
      EXPECT_EQ(bend > 0, t * t > edge) << "half distance " << half << ", t " << t;
    }
  }
}

/// The t of the best point for w F_1 + (1 - w) F_2, among many.
double best_of_weighted_sum(const FrontFonseca& problem, double w) {
  double best = 0, least = 1e9;
  for (int i = -5000; i <= 5000; ++i) {
    const double t = i / 5000.0;
    const auto losses = problem.front_at(t);
    const double sum = w * losses[0] + (1 - w) * losses[1];
    if (sum < least) best = t, least = sum;
  }
  return best;
}

TEST(FrontFonseca, WeightedSumsLeaveTheConcavePartEmptyAndPreferencesDoNot) {
  const FrontFonseca problem({}, 3);
  const double edge = problem.weighted_sum_gap();
  EXPECT_NEAR(edge, 0.9575, 1e-4);
  double smallest = 1;
  for (int i = 0; i <= 100; ++i) smallest = std::min(smallest, std::abs(best_of_weighted_sum(problem, i / 100.0)));
  EXPECT_GE(smallest, edge - 1e-3);
  EXPECT_LE(smallest, edge + 1e-2) << "the bound is sharp";
  const double empty = gap(problem.front_at(-edge), problem.front_at(edge)) / problem.front().diameter();
  EXPECT_GT(empty, 0.98) << "nearly all of the front";
  const auto middle = problem.front().on_ray({1, 1});
  ASSERT_TRUE(middle);
  EXPECT_NEAR(gap(*middle, problem.front_at(0)), 0, 1e-12);
}

TEST(FrontFonseca, AConvexFrontHasNoGap) {
  const FrontFonseca problem({.half_distance = 0.7}, 3);
  EXPECT_EQ(problem.weighted_sum_gap(), 0);
  EXPECT_NEAR(best_of_weighted_sum(problem, 0.5), 0, 1e-3);
}

TEST(KnownFront, IsFoundThroughTheProblem) {
  const FrontOctant octant({}, 0);
  EXPECT_EQ(known_front(octant), &octant.front());
  EXPECT_EQ(known_front(Synthetic()), nullptr);
}

TEST(KnownFront, BadPreferencesAreRefused) {
  const FrontQuadratic problem({}, 0);
  for (const LossVector& bad : {LossVector{1, 0}, {1, -1}, {1, NAN}, {1, INFINITY}, {1}, {}, {1, 1, 1}}) {
    EXPECT_THROW(problem.front().on_ray(bad), Error);
    EXPECT_THROW(distance_to_ray({0.5, 0.5}, bad), Error);
  }
  EXPECT_THROW(problem.front().on_ray({1, 1}, {0}), Error);
  EXPECT_THROW(problem.front().distance({1}), Error);
  EXPECT_THROW(problem.front().distance({}), Error);
}

TEST(KnownFront, MetricsTellTheDistance) {
  for (const auto& problem : all_problems()) {
    const auto omega = problem->omega();
    const auto losses = losses_at(*problem, omega);
    const auto metrics = problem->evaluate();
    ASSERT_EQ(metrics.size(), 1U);
    EXPECT_EQ(metrics[0].first, "distance to the front");
    EXPECT_EQ(metrics[0].second, problem->front().distance(losses));
  }
}

}  // namespace
}  // namespace moblo::conformance::known_front_test
