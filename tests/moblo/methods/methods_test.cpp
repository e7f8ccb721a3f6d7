// What MOML, MoCo, BOME and BVFIM promise beyond the conformance suite, and what every method promises.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/training.hpp"

namespace moblo::methods::methods_test {
namespace {

class Watch : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override {
    records.push_back(record);
    if (stop_after && record.k + 1 == *stop_after) stop = true;
  }
  void saved(std::int64_t, const Snapshot& state) override { last = state; }

  RunControl control(const Snapshot* resume = nullptr) {
    RunControl control;
    control.observers = {this};
    control.stop_requested = &stop;
    control.resume = resume;
    return control;
  }

  std::vector<StepRecord> records;
  Snapshot last;
  std::optional<std::int64_t> stop_after;
  std::atomic<bool> stop{false};
};

TrainingOptions training(std::int64_t iterations, double step_size) {
  TrainingOptions options;
  options.iterations = iterations;
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = step_size;
  return options;
}

std::unique_ptr<Method> method(const std::string& name, const Json& options = Json::object()) {
  return make_method(name, find_method(name, "test").resolve(options, {}));
}

/// Of the wanted options, those that the method has.
Json known_to(const std::string& name, const Json& wanted) {
  Json known = Json::object();
  for (const auto& field : find_method(name, "test").fields) {
    if (wanted.contains(field.key)) known[field.key] = wanted[field.key];
  }
  return known;
}

/// Says that its lower loss is strongly convex, so that every method runs on it, for some steps.
class Regression : public lab::problems::NoisyRegression {
 public:
  explicit Regression(const lab::problems::NoisyRegressionOptions& options, std::uint64_t seed = 2)
      : lab::problems::NoisyRegression(options, seed) {}
  ProblemTraits traits() const override {
    auto traits = lab::problems::NoisyRegression::traits();
    traits.strongly_convex_lower = true;
    return traits;
  }
};

std::vector<StepRecord> records_of(BilevelProblem& problem, const std::string& name, const Json& options,
                                   const TrainingOptions& how) {
  Watch watch;
  const auto made = method(name, options);
  train(problem, *made, how, watch.control());
  return watch.records;
}

/// All that follow gradients of alpha; searches and methods on one level have tests of their own.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& info : method_catalogue()) {
    const auto traits = info.traits(info.resolve(Json::object(), {}));
    if (!traits.gradient_free && !traits.single_level) names.push_back(info.name);
  }
  return names;
}

/// f = sum_j softmax(alpha)_j f_j(w), the task weights of multi-task learning; F_i on other targets.
class TaskWeights : public BilevelProblem {
 public:
  TaskWeights() {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  torch::Tensor task(std::int64_t j) { return (scale_[j] * (omega_ - lower_targets_[j]).square()).sum(); }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    return {(omega_ - upper_targets_[0]).square().sum(), (omega_ - upper_targets_[1]).pow(4).sum()};
  }
  torch::Tensor lower_loss(const Batch&) override {
    const auto weights = torch::softmax(alpha_, 0);
    return weights[0] * task(0) + weights[1] * task(1);
  }

 private:
  torch::Tensor alpha_ = torch::tensor({0.4, -0.3}, torch::kFloat64),
                omega_ = torch::tensor({0.5, -1.0, 2.0}, torch::kFloat64),
                scale_ = torch::tensor({{1.0, 2.0, 0.5}, {0.3, 1.0, 1.5}}, torch::kFloat64),
                lower_targets_ = torch::tensor({{1.0, 0.0, 0.0}, {0.0, 1.0, -1.0}}, torch::kFloat64),
                upper_targets_ = torch::tensor({{0.2, 0.1, 1.0}, {-0.4, 0.6, 1.2}}, torch::kFloat64);
};

torch::Tensor gradient(const torch::Tensor& loss, const torch::Tensor& by) {
  return torch::autograd::grad({loss}, {by})[0];
}

TEST(Moml, OneLowerStepIsTheClosedFormForTaskWeights) {
  // dF_i/dalpha = -eta grad F_i(w')' [grad f_1 .. grad f_m] J_softmax, w' = w - eta sum_j s_j grad f_j.
  const double eta = 0.1, mu = 0.7;
  TaskWeights problem;
  const auto alpha = problem.upper().values().clone(), omega = problem.lower().values().clone();
  auto& leaf = problem.lower().leaves()[0];
  const auto s = torch::softmax(alpha, 0), softmax_jacobian = torch::diag(s) - torch::outer(s, s);
  const auto tasks = torch::stack({gradient(problem.task(0), leaf), gradient(problem.task(1), leaf)}, 1);
  std::vector<torch::Tensor> rows;
  {
    const problem::BoundElsewhere there(problem.lower(), (omega - eta * torch::mv(tasks, s)).contiguous());
    for (const auto& loss : problem.upper_losses({})) {
      rows.push_back(-eta * torch::mv(torch::mm(tasks, softmax_jacobian).t(), gradient(loss, leaf)));
    }
  }
  const double a = rows[0].dot(rows[0]).item().toDouble(), b = rows[0].dot(rows[1]).item().toDouble(),
               c = rows[1].dot(rows[1]).item().toDouble();
  const double lambda = std::clamp((c - b) / (a - 2 * b + c), 0.0, 1.0);

  const auto records = records_of(problem, "moml", {{"inner_steps", 1}, {"inner_step_size", eta}}, training(1, mu));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_NEAR(records[0].weights[0], lambda, 1e-12);
  const auto step = lambda * rows[0] + (1 - lambda) * rows[1];
  EXPECT_LT((problem.upper().values() - (alpha - mu * step)).abs().max().item().toDouble(), 1e-12);
  EXPECT_NEAR(records[0].kkt, step.dot(step).item().toDouble(), 1e-12);
}

/// omega after one iteration, from the alpha that the iteration reached.
TEST(Moml, OmegaStepsAreTheThreeThatTheOptionNames) {
  const double eta = 0.1, mu = 0.2;
  const auto run = [&](const char* omega_step) {
    auto problem = std::make_unique<TaskWeights>();
    const auto made = method("moml", {{"inner_steps", 3}, {"inner_step_size", eta}, {"omega_step", omega_step}});
    train(*problem, *made, training(1, mu));
    return problem;
  };
  const auto moved = run("train"), moved_on_both = run("train+val"), replaced = run("last");
  ASSERT_TRUE(torch::equal(moved->upper().values(), replaced->upper().values()));  // alpha moves first, all the same

  TaskWeights at_new_alpha;
  const auto omega = at_new_alpha.lower().values().clone();
  at_new_alpha.upper().values().copy_(moved->upper().values());
  auto& leaf = at_new_alpha.lower().leaves()[0];
  const auto train_gradient = gradient(at_new_alpha.lower_loss({}), leaf);
  auto both = train_gradient;
  for (const auto& loss : at_new_alpha.upper_losses({})) both = both + gradient(loss, leaf);
  const auto gap = [](BilevelProblem& problem, const torch::Tensor& expected) {
    return (problem.lower().values() - expected).abs().max().item().toDouble();
  };
  EXPECT_LT(gap(*moved, omega - mu * train_gradient), 1e-12);
  EXPECT_LT(gap(*moved_on_both, omega - mu * both), 1e-12);

  TaskWeights at_old_alpha;
  auto& w = at_old_alpha.lower().leaves()[0];
  for (int t = 0; t < 3; ++t) at_old_alpha.lower().values().sub_(gradient(at_old_alpha.lower_loss({}), w), eta);
  EXPECT_LT(gap(*replaced, at_old_alpha.lower().values()), 1e-12);
}

TEST(Moml, EveryModeOfTheHypergradientFollowsTheSamePathWhereTheLowerProblemIsSolved) {
  const auto end = [](const char* mode) {
    conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 3}, 4);
    const auto made = method(
        "moml", {{"inner_steps", 200}, {"inner_step_size", 1.0}, {"hypergradient", mode}, {"solver_steps", 200}});
    train(problem, *made, training(20, 0.1));
    return problem.alpha();
  };
  const Eigen::VectorXd reverse = end("reverse");
  EXPECT_EQ(end("checkpointed"), reverse);
  EXPECT_LT((end("cg") - reverse).norm(), 1e-9);
  EXPECT_LT((end("neumann") - reverse).norm(), 1e-9);
}

TEST(Moco, WithATrackerThatFollowsAtOnceAndFixedWeightsTheStepIsTheMeanHypergradient) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 3}, 4);
  const Eigen::VectorXd alpha = problem.alpha();
  const Eigen::VectorXd mean = problem.hypergradients(alpha).colwise().mean();
  const auto made = method("moco", {{"inner_steps", 200}, {"inner_step_size", 1.0}, {"beta", 1.0}, {"gamma", 0}});
  train(problem, *made, training(1, 0.1));
  EXPECT_LT((problem.alpha() - (alpha - 0.1 * mean)).norm(), 1e-9);
}

TEST(Moco, TrackerAveragesTheHypergradients) {
  // From y = 0, at a point that does not move: y_1 = b_0 h, y_2 = y_1 + b_1 (h - y_1), b_k = 0.5 (k+1)^-0.5.
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1, .condition = 2}, 1);
  const auto records =
      records_of(problem, "moco", {{"inner_steps", 300}, {"inner_step_size", 1.0}}, training(2, 1e-12));
  const double h = records[0].gradient_norms[0], second = 0.5 / std::sqrt(2.0);
  EXPECT_NEAR(std::sqrt(records[0].kkt), 0.5 * h, 1e-9);
  EXPECT_NEAR(std::sqrt(records[1].kkt), (0.5 + second * 0.5) * h, 1e-9);
}

TEST(Moco, ReleasedScaleGivesEachObjectiveTheLengthOfItsLoss) {
  conformance::Quadratic problem({.n = 2, .p = 3, .m = 1, .condition = 2}, 1);
  const auto records = records_of(problem, "moco", {{"gradient_scale", "loss"}, {"beta", 1.0}}, training(1, 0.1));
  EXPECT_NEAR(std::sqrt(records[0].kkt), records[0].losses[0], 1e-6);
}

TEST(Moco, BothProjectionsStayOnTheSimplexAndDiffer) {
  const auto run = [](const char* projection) {
    lab::problems::NoisyRegression problem({.tasks = 3, .samples = 40, .batch = 10}, 1);
    return records_of(problem, "moco", {{"projection", projection}, {"gamma", 5.0}}, training(30, 0.1));
  };
  const auto softmax = run("softmax"), simplex = run("simplex");
  for (const auto& records : {softmax, simplex}) {
    ASSERT_EQ(records.size(), 30U);
    for (const auto& record : records) {
      EXPECT_NEAR(record.weights[0] + record.weights[1] + record.weights[2], 1, 1e-12);
      for (const double weight : record.weights) EXPECT_GE(weight, 0);
    }
  }
  EXPECT_NE(softmax.back().weights, simplex.back().weights);
}

TEST(Bome, EqualsForumWithOneObjective) {
  // FORUM's phi = rho/2 |grad q|^2 enters its multiplier doubled: BOME's phi = rho |grad q|^2.
  conformance::Quadratic one({.n = 2, .p = 3, .m = 1}, 7), other({.n = 2, .p = 3, .m = 1}, 7);
  const Json inner{{"inner_steps", 20}, {"inner_step_size", 0.5}};
  Json forum = inner, bome = inner;
  forum["rho"] = bome["phi_scale"] = 0.4;
  bome["q_floor"] = 0;
  const auto a = records_of(one, "forum", forum, training(200, 0.05)),
             b = records_of(other, "bome", bome, training(200, 0.05));
  ASSERT_EQ(a.size(), b.size());
  bool active = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k].nu, b[k].nu, 1e-9 * (1 + a[k].nu)) << k;
    active = active || b[k].nu > 0;
  }
  EXPECT_TRUE(active);
  EXPECT_LT((one.alpha() - other.alpha()).norm() + (one.omega() - other.omega()).norm(), 1e-9);
}

TEST(Bome, BothRulesMakeTheConstraintFallAsFastAsTheyAsk) {
  // <grad q, d> = -phi where the multiplier is active: to first order q falls by mu phi.
  for (const char* rule : {"gradient", "value"}) {
    conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 2}, 4);
    const double mu = 1e-6, scale = 5;
    const Json options{{"inner_steps", 300}, {"inner_step_size", 0.5}, {"phi", rule}, {"phi_scale", scale}};
    const auto records = records_of(problem, "bome", options, training(2, mu));
    ASSERT_GT(records[0].nu, 0) << rule;
    const double phi =
        scale * (std::string(rule) == "value" ? records[0].q : std::pow(records[0].gradient_norms.back(), 2));
    EXPECT_NEAR((records[0].q - records[1].q) / mu / phi, 1, 1e-4) << rule;
  }
}

TEST(Bome, StandsWhereTheConstraintHasNoGradient) {
  conformance::Synthetic problem({.alpha = 1.5, .omega = {1.5, 1.5}});
  const auto records = records_of(problem, "bome", {{"q_floor", 0}}, training(2, 0.1));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].nu, 0);
}

TEST(Bvfim, OneIterationIsTheFormula) {
  // One z-step and one y-step on f = (w - a)^2 + .., written out for the synthetic problem.
  const double s = 0.1, t = 0.02, mu = 0.05, ridge = 0.3, theta = 0.2, sigma = 0.7, offset = 0.01;
  const double r = 1 / std::log(1.1), alpha = 2;
  const Eigen::Vector2d omega(0, 3), ones(1, 1), first(1, alpha), second(2, alpha);
  const Eigen::Vector2d z = omega - s * (2 * (omega - alpha * ones) + 2 * ridge * r * omega);
  const double f_z = (z - alpha * ones).squaredNorm() + ridge * r * z.squaredNorm(), c = sigma * r / (offset + f_z);
  const Eigen::Vector2d y =
      omega - t * ((omega - first) + (omega - second) + c * 2 * (omega - alpha * ones) + 2 * theta * r * omega);
  // F = mean of |y - (i, a)|^2: its derivative by a is -2 (y_2 - a); f's is -2 sum_j (w_j - a).
  const double slope = -2 * (y(1) - alpha) + c * (-2 * (y - alpha * ones).sum() + 2 * (z - alpha * ones).sum());

  conformance::Synthetic problem({.alpha = alpha, .omega = {0, 3}});
  const auto records = records_of(problem, "bvfim",
                                  {{"inner_steps", 1},
                                   {"inner_step_size", s},
                                   {"model_steps", 1},
                                   {"model_step_size", t},
                                   {"value_ridge", ridge},
                                   {"model_ridge", theta},
                                   {"barrier", sigma},
                                   {"barrier_offset", offset}},
                                  training(1, mu));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_NEAR(records[0].nu, c, 1e-12);
  EXPECT_NEAR(problem.lower().values()[0].item().toDouble(), y(0), 1e-12);
  EXPECT_NEAR(problem.lower().values()[1].item().toDouble(), y(1), 1e-12);
  EXPECT_NEAR(problem.upper().values().item().toDouble(), alpha - mu * slope, 1e-12);
}

/// c tends to sigma / (mu |z|^2): a smaller mu is a firmer hold on the lower solutions.
TEST(Bvfim, EndsNearerToTheSolutionsWithASmallerRidge) {
  const auto distance = [](double ridge) {
    conformance::Quadratic problem({.n = 3, .p = 5, .m = 3, .condition = 3}, 0);
    auto options = training(300, 0.5);
    options.optimiser.alpha.schedule.kind = ScheduleKind::power;
    options.optimiser.alpha.schedule.power = 0.6;
    const auto made = method("bvfim", {{"inner_steps", 30},
                                       {"inner_step_size", 1},
                                       {"model_steps", 60},
                                       {"model_step_size", 0.001},
                                       {"barrier", 1},
                                       {"barrier_offset", 0.001},
                                       {"value_ridge", ridge},
                                       {"model_ridge", ridge}});
    train(problem, *made, options);
    return *problem.distance_to_solution_set();
  };
  const double loose = distance(0.01), firm = distance(0.003);
  EXPECT_LT(firm, 0.8 * loose);
  EXPECT_LT(firm, 0.2);
}

/// Its lower loss is negative: no logarithm of it.
class Negative : public conformance::Synthetic {
 public:
  Negative() : conformance::Synthetic({.alpha = 2, .omega = {0, 3}}) {}
  torch::Tensor lower_loss(const Batch& batch) override { return conformance::Synthetic::lower_loss(batch) - 1000; }
};

TEST(Bvfim, RefusesALowerLossBelowItsOffset) {
  Negative problem;
  const auto made = method("bvfim");
  const auto summary = train(problem, *made, training(3, 0.01));
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NE(summary.message.find("barrier_offset"), std::string::npos) << summary.message;
}

TEST(Suitability, ImplicitHypergradientsNeedAStronglyConvexLowerLoss) {
  for (const char* name : {"moml", "moco"}) {
    const auto& info = find_method(name, "test");
    for (const char* mode : {"reverse", "checkpointed", "cg", "neumann"}) {
      const auto traits = info.traits(info.resolve({{"hypergradient", mode}}, {}));
      const bool implicit = std::string(mode) == "cg" || std::string(mode) == "neumann";
      EXPECT_EQ(problem::unsuitable(traits, lab::problems::noisy_regression_info().traits).has_value(), implicit)
          << name << " " << mode;
      EXPECT_FALSE(problem::unsuitable(traits, conformance::quadratic_info().traits)) << name << " " << mode;
    }
  }
}

/// Every option changes the numbers: none is read and then forgotten.
TEST(EveryMethod, EveryOptionChangesTheRun) {
  const auto run = [](const std::string& name, const Json& changes) {
    Regression problem({.samples = 40, .trusted = 40, .batch = 10}, 1);
    return records_of(problem, name, changes, training(12, 0.1));
  };
  const std::vector<Json> hypergradient{{{"inner_steps", 3}},         {{"inner_step_size", 0.2}},
                                        {{"inner_start", "initial"}}, {{"inner_batches", "one"}},
                                        {{"omega_step", "last"}},     {{"omega_step", "train+val"}}};
  std::map<std::string, std::vector<Json>> changes{{"moml", hypergradient},
                                                   {"moco", hypergradient},
                                                   {"bome",
                                                    {{{"inner_steps", 3}},
                                                     {{"inner_step_size", 0.2}},
                                                     {{"inner_start", "initial"}},
                                                     {{"inner_batches", "one"}},
                                                     {{"phi", "value"}},
                                                     {{"phi_scale", 3}},
                                                     {{"q_floor", 1.0}}}},
                                                   {"bvfim",
                                                    {{{"inner_steps", 3}},
                                                     {{"inner_step_size", 0.2}},
                                                     {{"model_steps", 3}},
                                                     {{"model_step_size", 0.2}},
                                                     {{"inner_batches", "one"}},
                                                     {{"value_ridge", 0.5}},
                                                     {{"model_ridge", 0.5}},
                                                     {{"barrier", 0.5}},
                                                     {{"barrier_offset", 0.5}}}}};
  for (const Json& change : std::vector<Json>{{{"beta", 0.9}},
                                              {{"beta_exponent", 0.1}},
                                              {{"gamma", 0.9}},
                                              {{"gamma_exponent", 0.1}},
                                              {{"rho", 0.9}},
                                              {{"projection", "simplex"}},
                                              {{"gradient_scale", "loss"}}}) {
    changes["moco"].push_back(change);
  }
  changes["morbit"] = hypergradient;
  for (const Json& change : std::vector<Json>{{{"gamma", 0.9}}, {{"gamma_exponent", 0.1}}}) {
    changes["morbit"].push_back(change);
    changes["wc_penalty"].push_back(change);
  }
  for (const Json& change : std::vector<Json>{{{"penalty", 3}}, {{"penalty_exponent", 0.5}}}) {
    changes["f2sa"].push_back(change);
    changes["wc_penalty"].push_back(change);
  }
  changes["wc_penalty"].push_back({{"preference", {2, 1}}});
  changes["f2sa"].push_back({{"inner_steps", 3}});
  changes["f2sa"].push_back({{"inner_step_size", 0.2}});
  changes["gmoba"] = {{{"system_step_size", 0.2}}};
  changes["forum_single"] = {{{"inner_step_size", 0.2}}, {{"recentre_every", 3}},   {{"rho", 0.9}},
                             {{"beta_exponent", 0.1}},   {{"multiplier", "exact"}}, {{"upper_gradients", "unit"}}};
  for (const auto& [name, each] : changes) {
    const auto base = run(name, Json::object());
    ASSERT_EQ(base.size(), 12U) << name;
    EXPECT_EQ(run(name, Json::object()), base) << name;
    for (const auto& change : each) EXPECT_NE(run(name, change), base) << name << " " << change.dump();
  }
}

TEST(EveryMethod, NoTwoGiveTheSameTrajectory) {
  std::vector<std::pair<std::string, torch::Tensor>> ends;
  for (const auto& name : all_names()) {
    Regression problem({.samples = 40, .trusted = 40, .batch = 10}, 1);
    const auto made = method(name);
    EXPECT_EQ(train(problem, *made, training(5, 0.1)).status, RunStatus::completed) << name;
    std::vector<torch::Tensor> parts{problem.lower().values().clone()};
    for (const auto& table : problem.upper().tables()) parts.push_back(table.values.clone());
    const auto end = torch::cat(parts);
    for (const auto& [other, theirs] : ends) {
      EXPECT_GT((end - theirs).abs().max().item().toDouble(), 1e-5) << name << " and " << other;
    }
    ends.emplace_back(name, end);
  }
}

TEST(EveryMethod, ARunInterruptedAnywhereEqualsTheUninterruptedOneBitForBit) {
  auto options = training(20, 0.05);
  options.optimiser.alpha.kind = OptimiserKind::adam;
  options.optimiser.omega.kind = OptimiserKind::momentum;
  for (const auto& name : all_names()) {
    const Json settings = known_to(name, {{"inner_steps", 3}, {"inner_start", "initial"}});
    Regression whole({.samples = 30, .batch = 7});
    Watch expected;
    const auto whole_method = method(name, settings);
    train(whole, *whole_method, options, expected.control());
    ASSERT_EQ(expected.records.size(), 20U) << name;
    for (const std::int64_t stop_at : {1, 7, 19}) {
      Watch first, second;
      first.stop_after = stop_at;
      {
        Regression problem({.samples = 30, .batch = 7});
        const auto made = method(name, settings);
        EXPECT_EQ(train(problem, *made, options, first.control()).status, RunStatus::interrupted);
      }
      const Snapshot stored = training::to_snapshot(training::to_file(first.last));  // through the bytes of a file
      Regression problem({.samples = 30, .batch = 7});
      const auto made = method(name, settings);
      train(problem, *made, options, second.control(&stored));
      auto all = first.records;
      all.insert(all.end(), second.records.begin(), second.records.end());
      EXPECT_EQ(all, expected.records) << name << " stopped at " << stop_at;
      EXPECT_TRUE(torch::equal(problem.lower().values(), whole.lower().values())) << name;
      EXPECT_TRUE(torch::equal(problem.upper().tables()[0].values, whole.upper().tables()[0].values)) << name;
    }
  }
}

/// Its upper losses turn to NaN after so many evaluations.
class Breaks : public Regression {
 public:
  explicit Breaks(int good) : Regression({.samples = 30, .batch = 7}), good_(good) {}
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    auto losses = Regression::upper_losses(batch);
    if (good_-- <= 0) losses[1] = losses[1] * std::numeric_limits<double>::quiet_NaN();
    return losses;
  }

 private:
  int good_;
};

TEST(EveryMethod, AValueThatIsNotFiniteIsTakenBackToTheLastGoodState) {
  for (const auto& name : all_names()) {
    if (name == "bvfim" || name == "f2sa") continue;  // evaluate the upper losses more than once per iteration
    const Json settings = known_to(name, {{"inner_steps", 3}});
    Regression whole({.samples = 30, .batch = 7});
    const auto whole_method = method(name, settings);
    Watch expected;
    train(whole, *whole_method, training(8, 0.1), expected.control());

    Breaks problem(8);  // one evaluation for the contract, then iterations 0 .. 6; iteration 7 breaks
    const auto made = method(name, settings);
    Watch watch;
    EXPECT_EQ(train(problem, *made, training(100, 0.1), watch.control()).status, RunStatus::non_finite) << name;
    ASSERT_EQ(watch.records.size(), 7U) << name;
    Regression again({.samples = 30, .batch = 7});
    const auto again_method = method(name, settings);
    Watch resumed;
    train(again, *again_method, training(8, 0.1), resumed.control(&watch.last));
    ASSERT_EQ(resumed.records.size(), 2U) << name;
    EXPECT_EQ(resumed.records[0], expected.records[6]) << name;  // the method's state went back as well
    EXPECT_EQ(resumed.records[1], expected.records[7]) << name;
  }
}

TEST(EveryMethod, DivergenceEndsWithAStatusAndFiniteParameters) {
  for (const auto& name : all_names()) {
    conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
    const auto made =
        method(name, name == "bvfim" ? Json{{"model_step_size", 50}} : known_to(name, {{"inner_step_size", 0.05}}));
    const auto summary = train(problem, *made, training(100000, 50));
    EXPECT_EQ(summary.status, RunStatus::non_finite) << name;
    EXPECT_TRUE(torch::isfinite(problem.lower().values()).all().item().toBool()) << name;
    EXPECT_TRUE(torch::isfinite(problem.upper().values()).all().item().toBool()) << name;
  }
}

}  // namespace
}  // namespace moblo::methods::methods_test
