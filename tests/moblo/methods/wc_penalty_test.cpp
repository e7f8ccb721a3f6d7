// WC-Penalty where the lower problem has many solutions: the one that suits the objectives best is wanted.
#include "moblo/methods/wc_penalty.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "moblo/conformance/quadratic.hpp"
#include "tests/moblo/methods/recorded.hpp"

namespace moblo::methods::wc_penalty_test {
namespace {

TrainingOptions with_momentum(std::int64_t iterations, double step) {
  auto options = plain_steps(iterations, step, step);
  options.optimiser.alpha.kind = options.optimiser.omega.kind = OptimiserKind::momentum;
  return options;
}

const Eigen::Matrix<double, 2, 3> A{{1, 0.5, 0}, {0, 1, -0.5}};
const Eigen::Matrix2d B{{1, 0.3}, {-0.2, 0.8}};
const Eigen::Matrix<double, 2, 5> targets{{2, -1, 1, 0, 1.5}, {-1, 0.5, -1, 2, 0}};  // rows (v_i, u_i) of (a, w)

/// f = 1/2 |A w - B a|^2 with A of two rows and three columns: its solutions are the lines A w = B a.
/// F_i = 1/2 |(a, w) - (v_i, u_i)|^2.
class Lines : public BilevelProblem {
 public:
  Lines() {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    std::vector<torch::Tensor> losses;
    for (Eigen::Index i = 0; i < 2; ++i) {
      const Eigen::VectorXd target = targets.row(i);
      losses.push_back(0.5 * (torch::cat({alpha_, omega_}) - to_tensor(target)).square().sum());
    }
    return losses;
  }
  torch::Tensor lower_loss(const Batch&) override {
    const auto a = to_tensor(Eigen::MatrixXd(A)), b = to_tensor(Eigen::MatrixXd(B));
    return 0.5 * (torch::mv(a, omega_) - torch::mv(b, alpha_)).square().sum();
  }

 private:
  static torch::Tensor to_tensor(const Eigen::MatrixXd& values) {
    auto out = torch::empty({values.rows(), values.cols()}, torch::kFloat64);
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      for (Eigen::Index j = 0; j < values.cols(); ++j) out[i][j] = values(i, j);
    }
    return values.cols() == 1 ? out.view({-1}) : out;
  }

  torch::Tensor alpha_ = torch::tensor({1.0, -1.0}, torch::kFloat64),
                omega_ = torch::tensor({2.0, 2.0, -2.0}, torch::kFloat64);
};

/// F_1, F_2 at the minimiser of sum_i weights_i F_i over A w = B a: the projection of the weighted target.
Eigen::Vector2d losses_at(const Eigen::Vector2d& weights) {
  Eigen::Matrix<double, 2, 5> constraint;
  constraint << -B, A;
  const Eigen::VectorXd centre = targets.transpose() * weights / weights.sum();
  const Eigen::Vector2d gap = constraint * centre;
  const Eigen::Vector2d multiplier = (constraint * constraint.transpose()).ldlt().solve(gap);
  const Eigen::VectorXd z = centre - constraint.transpose() * multiplier;
  return 0.5 * (targets.rowwise() - z.transpose()).rowwise().squaredNorm();
}

/// The least max_i r_i F_i on the lower solutions: lambda for which both r_i F_i are equal, by bisection.
double least_of_the_larger(const Eigen::Vector2d& r) {
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double first = (low + high) / 2;
    const Eigen::Vector2d values = r.cwiseProduct(losses_at(Eigen::Vector2d(first * r(0), (1 - first) * r(1))));
    (values(0) > values(1) ? low : high) = first;
  }
  return r.cwiseProduct(losses_at(Eigen::Vector2d(low * r(0), (1 - low) * r(1)))).maxCoeff();
}

TEST(WcPenalty, FindsTheBestOfManyLowerSolutionsForEveryPreference) {
  for (const auto& given : {std::vector<double>{}, std::vector<double>{2, 1}, std::vector<double>{1, 3}}) {
    Lines problem;
    const auto run = recorded(
        problem, "wc_penalty",
        {{"preference", given}, {"penalty", 40}, {"penalty_exponent", 0.1}, {"gamma", 0.005}, {"gamma_exponent", 0}},
        with_momentum(2000, 0.003));
    ASSERT_EQ(run.summary.status, RunStatus::completed) << run.summary.message;
    Eigen::Vector2d r(0.5, 0.5);
    if (!given.empty()) r = Eigen::Vector2d(given[0], given[1]) / (given[0] + given[1]);
    const auto& losses = run.summary.losses;
    const double larger = std::max(r(0) * losses[0], r(1) * losses[1]), least = least_of_the_larger(r);
    EXPECT_NEAR(larger, least, 0.01 * least);
    EXPECT_LT(std::abs(r(0) * losses[0] - r(1) * losses[1]), 0.01 * least);
    const auto& first = run.records.front();
    const auto& last = run.records.back();
    EXPECT_LT(last.q, 1e-4 * first.q);  // |grad_w f|^2 / 2
    EXPECT_LT(last.kkt, 1e-4 * first.kkt);
    EXPECT_LT(last.qp_residual, 0.01 * least);  // the complementarity gap
    EXPECT_GT(last.nu, 2 * first.nu);           // the penalty grew
  }
}

/// f = (w_1 + w_2 - a)^4 / 4 is convex, and so flat at its solutions that no PL inequality holds.
/// F_i = 1/2 |w - u_i|^2 + 1/2 (a - 2)^2, u_i the unit vectors.
class FlatValley : public BilevelProblem {
 public:
  FlatValley() {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    const auto own = 0.5 * (alpha_ - 2).square().sum();
    return {0.5 * (omega_ - first_).square().sum() + own, 0.5 * (omega_ - second_).square().sum() + own};
  }
  torch::Tensor lower_loss(const Batch&) override { return (omega_.sum() - alpha_).pow(4).sum() / 4; }

 private:
  torch::Tensor alpha_ = torch::full({1}, 1.5, torch::kFloat64), omega_ = torch::tensor({0.2, 1.0}, torch::kFloat64),
                first_ = torch::tensor({1.0, 0.0}, torch::kFloat64),
                second_ = torch::tensor({0.0, 1.0}, torch::kFloat64);
};

TEST(WcPenalty, ApproachesTheSolutionsOfAFlatValley) {
  // By symmetry w_1 = w_2 = t and a = 2t, where the objectives are least at t = 5/6: 5/12 each. With the penalty v the
  // valley's floor is left by u with 6 v u^5 = |grad F|: the error falls like v^-1/5.
  const auto end = [](double penalty) {
    FlatValley problem;
    return recorded(problem, "wc_penalty",
                    {{"penalty", penalty}, {"penalty_exponent", 0.2}, {"gamma", 0.01}, {"gamma_exponent", 0}},
                    with_momentum(1500, 0.01));
  };
  const auto weak = end(20), firm = end(100);
  for (const auto* run : {&weak, &firm}) {
    ASSERT_EQ(run->summary.status, RunStatus::completed) << run->summary.message;
    EXPECT_LT(run->records.back().q, 1e-4);
    EXPECT_LT(run->records.back().kkt, 1e-5);
    EXPECT_LT(run->records.back().qp_residual, 1e-3);
    EXPECT_NEAR(run->summary.losses[0], run->summary.losses[1], 1e-3);
  }
  const double weak_error = 5.0 / 12 - weak.summary.losses[0], firm_error = 5.0 / 12 - firm.summary.losses[0];
  EXPECT_GT(firm_error, 0);
  EXPECT_LT(firm_error, 0.05);
  EXPECT_NEAR(weak_error / firm_error, std::pow(5.0, 0.2), 0.15);
}

TEST(WcPenalty, APreferenceIsScaledToSumOne) {
  const auto run = [](const std::vector<double>& preference) {
    Lines problem;
    return recorded(problem, "wc_penalty", {{"preference", preference}}, plain_steps(5, 0.01, 0.01)).records;
  };
  EXPECT_EQ(run({2, 1}), run({4, 2}));
  EXPECT_EQ(run({3, 3}), run({}));
  EXPECT_EQ(run({1e308, 1e308}), run({}));
  EXPECT_NE(run({2, 1}), run({}));
}

TEST(WcPenalty, RefusesAPreferenceOfAnotherLengthOrSign) {
  Lines problem;
  const auto method = make_method("wc_penalty", {{"preference", {1, 2, 3}}});
  EXPECT_THROW(train(problem, *method, plain_steps(2, 0.1, 0.1)), Error);
  EXPECT_THROW(make_method("wc_penalty", {{"preference", {1, 0}}}), Error);
  EXPECT_THROW(make_method("wc_penalty", {{"preference", {1, -2}}}), Error);
}

TEST(WcPenalty, TakesOneProductInAll) {
  conformance::Quadratic problem({.m = 3}, 1);
  const auto run = recorded(problem, "wc_penalty", Json::object(), plain_steps(2, 0.01, 0.01));
  EXPECT_EQ(run.records[1].gradients, (GradientCounts{.lower = 1, .upper = 3, .second_order = 1}));
}

}  // namespace
}  // namespace moblo::methods::wc_penalty_test
