#include "moblo/methods/forum.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"
#include "tests/golden.hpp"

namespace moblo::methods::forum_test {
namespace {

// Against another implementation in double: its QP and ours agree to the root of rounding, and errors do not grow.
constexpr double golden_tolerance = 1e-6;

class Collect : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
  std::vector<StepRecord> records;
};

/// (alpha, omega) after each iteration of the synthetic problem.
class Iterates : public RunObserver {
 public:
  explicit Iterates(conformance::Synthetic& problem) : problem_(problem) {}
  void stepped(const StepRecord&, const StepTiming&) override {
    const auto omega = problem_.lower().values();
    after.push_back(
        {problem_.upper().values().item().toDouble(), omega[0].item().toDouble(), omega[1].item().toDouble()});
  }
  std::vector<std::array<double, 3>> after;

 private:
  conformance::Synthetic& problem_;
};

TrainingOptions training(std::int64_t iterations, double step_size) {
  TrainingOptions options;
  options.iterations = iterations;
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = step_size;
  return options;
}

std::vector<StepRecord> records_of(BilevelProblem& problem, const ForumOptions& forum_options,
                                   const TrainingOptions& options) {
  Forum forum(forum_options);
  Collect collect;
  RunControl control;
  control.observers = {&collect};
  train(problem, forum, options, control);
  return collect.records;
}

ForumOptions paper_settings() {
  return {.inner_steps = 50, .inner_step_size = 0.05, .rho = 0.3};
}

TEST(Forum, FollowsAnIndependentImplementationOnTheSyntheticProblem) {
  const auto cases = golden::cases("forum_synthetic.json");
  ASSERT_EQ(cases.size(), 6U);
  for (const auto& entry : cases) {
    auto options = paper_settings();
    options.multiplier = entry["multiplier"] == "paper" ? ForumMultiplier::paper : ForumMultiplier::exact;
    conformance::Synthetic problem({.alpha = entry["alpha"], .omega = entry["omega"].get<std::vector<double>>()});
    Iterates iterates(problem);
    RunControl control;
    control.observers = {&iterates};
    Forum forum(options);
    train(problem, forum, training(1000, 0.3), control);
    for (const auto& point : entry["points"]) {
      const auto& z = iterates.after.at(point["iterations"].get<std::size_t>() - 1);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(z[i], point["z"][i].get<double>(), golden_tolerance)
            << entry["multiplier"] << " from alpha " << entry["alpha"] << " at " << point["iterations"];
      }
    }
  }
}

TEST(Forum, RecordsAreConsistent) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  const auto records = records_of(problem, paper_settings(), training(50, 0.3));
  ASSERT_EQ(records.size(), 50U);
  for (const auto& record : records) {
    EXPECT_NEAR(record.weights[0] + record.weights[1], 1, 1e-12);
    EXPECT_GE(record.nu, 0);
    EXPECT_GE(record.q, 0);
    EXPECT_LE(record.qp_residual, 1e-10);
    EXPECT_EQ(record.gradient_norms.size(), 3U);
    EXPECT_EQ(record.conflict_cosines.size(), 1U);
    EXPECT_TRUE(record.distance);
  }
  EXPECT_EQ(records[0].weights, records[0].solved_weights);  // beta_0 = 1
}

TEST(Forum, DecreasesTheConstraintByRhoTimesItsGradientSquaredWhereTheMultiplierIsActive) {
  // <grad q, d> = -rho |grad q|^2 for nu > 0: to first order q falls by mu rho |grad q|^2.
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 2}, 4);
  const double mu = 1e-6;
  const double rho = 5;  // so large that the constraint is active at this start
  const auto records = records_of(problem, {.inner_steps = 300, .inner_step_size = 0.5, .rho = rho}, training(2, mu));
  ASSERT_GT(records[0].nu, 0);
  const double fall = (records[0].q - records[1].q) / mu, slope = rho * std::pow(records[0].gradient_norms.back(), 2);
  EXPECT_NEAR(fall / slope, 1, 1e-4);
}

TEST(Forum, OneObjectiveEqualsBome) {
  // d = grad F + max(rho - <grad q, grad F>/|grad q|^2, 0) grad q, BOME with phi = rho |grad q|^2.
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1}, 7);
  const Eigen::VectorXd alpha = problem.alpha(), omega = problem.omega();
  const auto losses = problem.upper_losses({});
  const auto gradients = torch::autograd::grad({losses[0]}, {problem.upper().leaves()[0], problem.lower().leaves()[0]});
  Eigen::VectorXd gradient(5);
  for (int i = 0; i < 2; ++i) gradient(i) = gradients[0][i].item().toDouble();
  for (int i = 0; i < 3; ++i) gradient(2 + i) = gradients[1][i].item().toDouble();
  const Eigen::VectorXd q = problem.exact_constraint_gradient(alpha, omega);
  const Eigen::VectorXd d = gradient + std::max(0.4 - q.dot(gradient) / q.squaredNorm(), 0.0) * q;

  Forum forum({.inner_steps = 2000, .inner_step_size = 0.5, .rho = 0.4});
  train(problem, forum, training(1, 0.01));
  Eigen::VectorXd before(5), after(5);
  before << alpha, omega;
  after << problem.alpha(), problem.omega();
  EXPECT_LT((after - (before - 0.01 * d)).norm(), 1e-9);
}

TEST(Forum, StandsStillAtASolution) {
  conformance::Synthetic problem({.alpha = 1.5, .omega = {1.5, 1.5}});
  const auto records = records_of(problem, paper_settings(), training(3, 0.3));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_LT(*records.back().distance, 0.5);
  EXPECT_TRUE(std::isfinite(records.back().kkt));  // |grad q| = 0: no division blows up
}

TEST(Forum, ExactAndPaperMultipliersDifferByHalfRhoWhereBothAreActive) {
  conformance::Synthetic one({.alpha = 2, .omega = {0, 3}}), other({.alpha = 2, .omega = {0, 3}});
  auto paper = paper_settings();
  paper.rho = 5;  // active at this start
  auto exact = paper;
  exact.multiplier = ForumMultiplier::exact;
  const auto a = records_of(one, paper, training(1, 0.3))[0], b = records_of(other, exact, training(1, 0.3))[0];
  ASSERT_GT(b.nu, 0);
  EXPECT_NEAR(a.nu - b.nu, paper.rho / 2, 1e-9);
  EXPECT_NEAR(a.weights[0], b.weights[0], 1e-9);
}

TEST(Forum, InitialStartSolvesTheLowerProblemFromOmegaZero) {
  conformance::Synthetic current({.alpha = 2, .omega = {0, 3}}), initial({.alpha = 2, .omega = {0, 3}});
  auto options = paper_settings();
  options.inner_steps = 3;
  const auto a = records_of(current, options, training(5, 0.1));
  options.inner_start = InnerStart::initial;
  const auto b = records_of(initial, options, training(5, 0.1));
  EXPECT_EQ(a[0].q, b[0].q);
  EXPECT_NE(a[4].q, b[4].q);
}

/// Every option that the profiles differ in changes the numbers: none is read and then forgotten.
TEST(Forum, EveryDeviationChangesTheRun) {
  const auto run = [](const Json& changes) {
    const auto resolved = find_method("forum", "test").resolve(changes, {});
    lab::problems::NoisyRegression problem({.samples = 40, .trusted = 40, .batch = 10}, 1);
    const auto method = make_method("forum", resolved);
    Collect collect;
    RunControl control;
    control.observers = {&collect};
    train(problem, *method, training(12, 0.05), control);
    return collect.records;
  };
  const auto base = run(Json::object());
  ASSERT_EQ(base.size(), 12U);
  EXPECT_EQ(run(Json::object()), base);
  const std::vector<Json> changes{
      {{"inner_steps", 3}},         {{"inner_step_size", 0.2}}, {{"rho", 0.1}},
      {{"beta_exponent", 0.5}},     {{"beta_scale", 0.5}},      {{"beta_clock", "epoch"}},
      {{"inner_start", "initial"}}, {{"inner_batches", "one"}}, {{"upper_gradients", "unit"}},
      {{"multiplier", "exact"}},    {{"q_floor", 1.0}},         {{"inner_loss_limit", 1e-3}}};
  for (const auto& change : changes) EXPECT_NE(run(change), base) << change.dump();
}

TEST(Forum, AlphaGradientOfTheUpperLossesCanBeLeftOut) {
  conformance::Quadratic with({.n = 2, .p = 3, .m = 2}, 1), without({.n = 2, .p = 3, .m = 2}, 1);
  auto options = paper_settings();
  const auto a = records_of(with, options, training(2, 0.1));
  options.upper_alpha_gradient = false;
  const auto b = records_of(without, options, training(2, 0.1));
  EXPECT_GT(a[0].gradient_norms[0], b[0].gradient_norms[0]);
}

TEST(Forum, ReferenceProfileSetsEveryDeviationAndExplicitOptionsWin) {
  const auto& info = find_method("forum", "test");
  const auto reference = info.resolve({{"profile", "reference"}}, {});
  EXPECT_EQ(reference["upper_gradients"], "unit");
  EXPECT_EQ(reference["upper_alpha_gradient"], false);
  EXPECT_EQ(reference["q_floor"], 1e-8);
  EXPECT_EQ(reference["beta_clock"], "epoch");
  EXPECT_EQ(reference["inner_batches"], "one");
  EXPECT_EQ(reference["upper_data"], "lower");
  EXPECT_EQ(reference["inner_loss_limit"], 1e5);
  const auto mixed = info.resolve({{"q_floor", 0.5}, {"profile", "reference"}}, {});
  EXPECT_EQ(mixed["q_floor"], 0.5);
  EXPECT_EQ(mixed["upper_gradients"], "unit");
  EXPECT_TRUE(info.traits(reference).needs_interchangeable_batches);
}

/// Without data, with an epoch of a given length.
class CountedStream : public BatchStream {
 public:
  explicit CountedStream(std::int64_t epoch_length) : epoch_length_(epoch_length) {}
  Batch at(std::int64_t number) override { return {.number = number, .parts = {}}; }
  std::int64_t epoch_length() const override { return epoch_length_; }

 private:
  std::int64_t epoch_length_;
};

/// m = 2 constant upper gradients that conflict, so that lambda moves where beta is below 1.
class Streamed : public BilevelProblem {
 public:
  Streamed() {
    upper_.add("a", torch::ones({1}, torch::kFloat64));
    lower_.add("w", torch::tensor({3.0, 2.0}, torch::kFloat64));
  }
  BatchStream& upper_batches() override { return validation; }
  BatchStream& lower_batches() override { return training; }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    const auto w = lower_.leaves()[0];
    const double turn = std::cos(static_cast<double>(batch.number));
    return {(w[0] * (1.5 + turn) + w[1]).square() / 2, (w[0] - w[1] * (1.5 - turn)).square() + w[1]};
  }
  torch::Tensor lower_loss(const Batch&) override {
    return (lower_.leaves()[0] - upper_.leaves()[0]).square().sum() / 2;
  }
  CountedStream training{7}, validation{4};
};

/// beta_k from the records: lambda~_k = lambda~_{k-1} + beta_k (lambda_k - lambda~_{k-1}).
std::vector<double> betas(const ForumOptions& options, std::int64_t iterations) {
  Streamed problem;
  const auto records = records_of(problem, options, training(iterations, 1e-3));
  std::vector<double> out;
  double before = 0.5;
  for (const auto& record : records) {
    const double gap = record.solved_weights[0] - before;
    out.push_back(std::abs(gap) > 1e-6 ? (record.weights[0] - before) / gap : std::nan(""));
    before = record.weights[0];
  }
  return out;
}

void expect_epochs_of(std::int64_t length, const ForumOptions& options) {
  const auto found = betas(options, 12);
  std::size_t told = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (std::isnan(found[k])) continue;
    ++told;
    const auto epoch = static_cast<double>(static_cast<std::int64_t>(k) / length);
    EXPECT_NEAR(found[k], std::pow(epoch + 1, -0.75), 1e-6) << "k = " << k << ", epochs of " << length;
  }
  EXPECT_GE(told, 6U);
}

/// An epoch of the lower stream has 7 batches. Two an iteration: 3 iterations, the last batch is left over.
TEST(Forum, EpochsAreCountedByTheStreamThatIsRead) {
  ForumOptions options{.inner_steps = 2, .inner_step_size = 0.1, .rho = 0.1};
  options.beta_clock = BetaClock::epoch;
  expect_epochs_of(4, options);  // the upper stream's own
  options.upper_data = UpperData::lower;
  options.inner_batches = InnerBatches::one;
  expect_epochs_of(3, options);  // 7 / (1 + 1)
  options.inner_batches = InnerBatches::fresh;
  expect_epochs_of(2, options);  // 7 / (1 + 2)
  options.inner_steps = 0;
  expect_epochs_of(3, options);
  options.inner_steps = 20;
  expect_epochs_of(1, options);  // more than there are
}

TEST(Forum, ReferenceProfileRunsOnAProblemWithOneKindOfData) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  const auto resolved =
      find_method("forum", "test")
          .resolve({{"profile", "reference"}, {"inner_steps", 50}, {"inner_step_size", 0.05}, {"rho", 0.3}}, {});
  const auto method = make_method("forum", resolved);
  const auto summary = train(problem, *method, training(500, 0.05));
  EXPECT_TRUE(succeeded(summary.status));
  EXPECT_LT(*problem.distance_to_solution_set(), 0.2);
}

}  // namespace
}  // namespace moblo::methods::forum_test
