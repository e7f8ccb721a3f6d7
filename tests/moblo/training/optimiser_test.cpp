#include "moblo/training/optimiser.hpp"

#include <gtest/gtest.h>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/training/training.hpp"
#include "tests/moblo/gradients/tolerances.hpp"

namespace moblo::training::optimiser_test {
namespace {

/// f(z) = sum z^4/4 - z, minimised by an optimiser of ours and one of torch's.
template <class TorchOptimiser>
double gap_to_torch(const OptimiserOptions& ours, TorchOptimiser make_theirs) {
  const auto start = torch::tensor({1.5, -0.7, 0.2, 3.0}, torch::kFloat64);
  auto mine = start.clone(), theirs = start.clone().set_requires_grad(true);
  Optimiser optimiser(ours, "test");
  auto reference = make_theirs(theirs);
  for (int i = 0; i < 25; ++i) {
    optimiser.update(mine, -(mine.pow(3) - 1), 1);
    reference.zero_grad();
    (theirs.pow(4).sum() / 4 - theirs.sum()).backward();
    reference.step();
  }
  return gradients::testing::distance(mine, theirs.detach());
}

TEST(Optimiser, SgdEqualsTorch) {
  for (const double decay : {0.0, 0.1}) {
    const OptimiserOptions ours{.kind = OptimiserKind::sgd, .step_size = 0.05, .weight_decay = decay};
    EXPECT_LT(gap_to_torch(ours,
                           [&](torch::Tensor& z) {
                             return torch::optim::SGD({z}, torch::optim::SGDOptions(0.05).weight_decay(decay));
                           }),
              gradients::testing::f64.value);
  }
}

TEST(Optimiser, MomentumEqualsTorch) {
  for (const double decay : {0.0, 0.1}) {
    const OptimiserOptions ours{
        .kind = OptimiserKind::momentum, .step_size = 0.02, .momentum = 0.8, .weight_decay = decay};
    EXPECT_LT(gap_to_torch(ours,
                           [&](torch::Tensor& z) {
                             return torch::optim::SGD({z},
                                                      torch::optim::SGDOptions(0.02).momentum(0.8).weight_decay(decay));
                           }),
              gradients::testing::f64.value);
  }
}

TEST(Optimiser, AdamEqualsTorch) {
  for (const double decay : {0.0, 0.1}) {
    const OptimiserOptions ours{.kind = OptimiserKind::adam,
                                .step_size = 0.02,
                                .beta1 = 0.8,
                                .beta2 = 0.95,
                                .epsilon = 1e-6,
                                .weight_decay = decay};
    EXPECT_LT(gap_to_torch(ours,
                           [&](torch::Tensor& z) {
                             return torch::optim::Adam(
                                 {z}, torch::optim::AdamOptions(0.02).betas({0.8, 0.95}).eps(1e-6).weight_decay(decay));
                           }),
              gradients::testing::f64.value);
  }
}

TEST(Optimiser, RowsOfATableMoveLikeATensorOfTheirOwn) {
  for (const auto kind : {OptimiserKind::sgd, OptimiserKind::momentum, OptimiserKind::adam}) {
    const OptimiserOptions options{.kind = kind, .step_size = 0.1};
    Optimiser on_table(options, "table"), on_tensor(options, "tensor");
    auto table = torch::arange(6, torch::kFloat64);
    const auto rows = torch::tensor({4, 1});
    auto tensor = table.index_select(0, rows);
    for (int i = 0; i < 5; ++i) {
      const auto direction = torch::tensor({0.3, -0.1}, torch::kFloat64) * (i + 1);
      on_table.update_rows(table, rows, direction, 1);
      on_tensor.update(tensor, direction, 1);
    }
    EXPECT_LT(gradients::testing::distance(table.index_select(0, rows), tensor), gradients::testing::f64.value);
    EXPECT_EQ(table[0].item().toDouble(), 0);  // untouched rows stay
    EXPECT_EQ(table[5].item().toDouble(), 5);
  }
}

TEST(Optimisers, RollBackRestoresIterateAndMomentsOfBothKindsOfAlpha) {
  for (const auto kind : {OptimiserKind::sgd, OptimiserKind::momentum, OptimiserKind::adam}) {
    lab::problems::NoisyRegression problem({.samples = 20, .batch = 5}, 0);
    OptimiserPair options;
    options.alpha.kind = options.omega.kind = kind;
    Optimisers optimisers(options, problem, 10);
    const auto step = [&](std::int64_t k, double scale) {
      const problem::SlicesOpen open(problem.upper());
      const auto loss = problem.lower_loss(problem.lower_batches().at(k));
      std::int64_t columns = 0;
      for (const auto& slice : problem.upper().slices()) columns += slice.leaf.numel();
      optimisers.begin(k);
      optimisers.update_upper(torch::full({columns}, scale));
      optimisers.update_lower(torch::full({problem.lower().dense_size()}, scale));
    };
    step(0, 0.1);
    Snapshot before;
    optimisers.save(before);
    const auto omega = problem.lower().values().clone(), weights = problem.upper().tables()[0].values.clone();
    step(1, 0.7);
    EXPECT_FALSE(torch::equal(problem.lower().values(), omega));
    optimisers.roll_back();
    Snapshot after;
    optimisers.save(after);
    EXPECT_TRUE(torch::equal(problem.lower().values(), omega));
    EXPECT_TRUE(torch::equal(problem.upper().tables()[0].values, weights));
    EXPECT_EQ(before.values, after.values);
    for (const auto& [name, tensor] : before.tensors) EXPECT_TRUE(torch::equal(after.tensors.at(name), tensor)) << name;
  }
}

TEST(Schedule, DropsAfterEvaluationsWithoutABetterModel) {
  const OptimiserOptions options{
      .schedule = {.kind = ScheduleKind::plateau, .factor = 0.5, .floor = 0.2, .patience = 1}};
  Optimiser optimiser(options, "test");
  const auto after = [&](std::int64_t k, bool better) {
    optimiser.evaluated(k, better);
    return optimiser.rate(k, 100);
  };
  EXPECT_EQ(after(0, true), 1);
  EXPECT_EQ(after(10, false), 1) << "as many as its patience";
  EXPECT_EQ(after(20, false), 0.5);
  EXPECT_EQ(after(30, false), 0.5) << "counted again";
  EXPECT_EQ(after(30, false), 0.5) << "evaluated again by a resumed run";
  EXPECT_EQ(after(40, true), 0.5);
  EXPECT_EQ(after(50, false), 0.5);
  Snapshot state;
  optimiser.save(state);
  Optimiser resumed(options, "test");
  resumed.restore(state, torch::empty({0}));
  resumed.evaluated(60, false);
  EXPECT_EQ(resumed.rate(60, 100), 0.25);
  resumed.evaluated(70, false);
  resumed.evaluated(80, false);
  EXPECT_EQ(resumed.rate(80, 100), 0.2) << "the floor";
}

TEST(Schedule, ShapesAreAsDescribed) {
  ScheduleOptions step{.kind = ScheduleKind::step, .every = 10, .factor = 0.5};
  EXPECT_EQ(step.at(9, 100), 1);
  EXPECT_EQ(step.at(10, 100), 0.5);
  EXPECT_EQ(step.at(25, 100), 0.25);
  ScheduleOptions cosine{.kind = ScheduleKind::cosine, .floor = 0.1};
  EXPECT_EQ(cosine.at(0, 100), 1);
  EXPECT_NEAR(cosine.at(50, 100), 0.55, 1e-12);
  EXPECT_NEAR(cosine.at(100, 100), 0.1, 1e-12);
  ScheduleOptions power{.kind = ScheduleKind::power, .power = 0.5};
  EXPECT_NEAR(power.at(3, 100), 0.5, 1e-12);
  ScheduleOptions warm{.kind = ScheduleKind::constant, .warmup = 4};
  EXPECT_EQ(warm.at(0, 100), 0.25);
  EXPECT_EQ(warm.at(3, 100), 1);
  EXPECT_EQ(warm.at(4, 100), 1);
}

/// A dense upper parameter beside rows that are called alpha, as the level itself is.
class RowsCalledAlpha : public BilevelProblem {
 public:
  RowsCalledAlpha() {
    upper_.add("shift", shift_);
    upper_.add_rows("alpha", rows_);
    lower_.add("w", w_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return {(w_ - shift_).square().sum()}; }
  torch::Tensor lower_loss(const Batch&) override {
    const auto weights = upper_.rows("alpha", torch::arange(4));
    return (weights.exp() * (w_ - torch::arange(4, torch::kFloat64)).square()).sum() + (w_ - shift_).square().sum();
  }

 private:
  torch::Tensor shift_ = torch::ones({1}, torch::kFloat64), rows_ = torch::zeros({4}, torch::kFloat64),
                w_ = torch::zeros({1}, torch::kFloat64);
};

TEST(Optimisers, RowsThatShareTheNameOfTheirLevelKeepMomentsOfTheirOwn) {
  struct Middle : RunObserver {
    void saved(std::int64_t next_k, const Snapshot& state) override {
      if (next_k == 4) middle = state;
    }
    Snapshot middle;
  } observer;
  TrainingOptions options{.iterations = 8, .checkpoint_every = 4};
  options.optimiser.alpha.kind = OptimiserKind::adam;
  RowsCalledAlpha whole, resumed;
  train(whole, Moml({.inner_steps = 2}), options, {.observers = {&observer}});
  RunControl control;
  control.resume = &observer.middle;
  train(resumed, Moml({.inner_steps = 2}), options, control);
  EXPECT_TRUE(torch::equal(whole.upper().values(), resumed.upper().values()));
  EXPECT_TRUE(torch::equal(whole.upper().tables()[0].values, resumed.upper().tables()[0].values));
}

}  // namespace
}  // namespace moblo::training::optimiser_test
