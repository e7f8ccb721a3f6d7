// Methods on one level: what they do to shared parameters and heads, and that every weighting trains and resumes.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"

namespace moblo {
namespace {

/// Three regressions on one input: y_i = v_i' (W x), with W shared. Conflicting targets, positive losses.
class ThreeTasks : public BilevelProblem {
 public:
  explicit ThreeTasks(torch::ScalarType type = torch::kFloat64) {
    const auto draw = [&](std::vector<std::int64_t> shape, double from) {
      const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
      return (torch::arange(count, torch::kFloat64) * 0.7 + from).sin().view(shape).to(type);
    };
    trunk_ = draw({4, 5}, 0.1);
    inputs_ = draw({64, 5}, 0.3);
    targets_ = draw({64, 3}, 1.1) * 2 + 1;
    upper_.add("alpha", alpha_ = torch::zeros({3}, type));
    lower_.add("trunk", trunk_);
    for (int i = 0; i < 3; ++i) {
      heads_.push_back(draw({4}, 2.0 + i));
      lower_.add("head_" + std::to_string(i), heads_.back());
    }
    batches_ = std::make_unique<TensorBatches>(std::vector<TensorDataset>{{inputs_, targets_}}, 16, 7);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    std::vector<torch::Tensor> losses;
    const auto features = torch::mm(batch.parts[0].inputs, trunk_.t());
    for (int i = 0; i < 3; ++i) {
      losses.push_back((torch::mv(features, heads_[static_cast<std::size_t>(i)]) - batch.parts[0].targets.select(1, i))
                           .square()
                           .mean());
    }
    return losses;
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    return torch::dot(torch::softmax(alpha_, 0), torch::stack(upper_losses(batch)));
  }
  BatchStream& upper_batches() override { return *batches_; }
  BatchStream& lower_batches() override { return *batches_; }
  ProblemTraits traits() const override { return {.tasks = true}; }
  std::int64_t shared_columns() override { return 20; }

 private:
  torch::Tensor alpha_, trunk_, inputs_, targets_;
  std::vector<torch::Tensor> heads_;
  std::unique_ptr<TensorBatches> batches_;
};

class Watch : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
  void saved(std::int64_t, const Snapshot& state) override {
    if (!middle) middle = state;
  }
  std::vector<StepRecord> records;
  std::optional<Snapshot> middle;
};

TrainingOptions training(std::int64_t iterations, double step_size) {
  TrainingOptions options;
  options.iterations = iterations;
  options.checkpoint_every = (iterations + 1) / 2;
  options.optimiser.omega.step_size = step_size;
  return options;
}

std::unique_ptr<Method> method(const std::string& name, const Json& options = Json::object()) {
  return make_method(name, find_method(name, "test").resolve(options, {}));
}

std::vector<StepRecord> trained(ThreeTasks& problem, const std::string& name, std::int64_t iterations, double step_size,
                                const Snapshot* resume = nullptr, std::optional<Snapshot>* middle = nullptr) {
  Watch watch;
  RunControl control;
  control.observers = {&watch};
  control.resume = resume;
  const auto made = method(name);
  const auto summary = train(problem, *made, training(iterations, step_size), control);
  EXPECT_EQ(summary.status, RunStatus::completed) << name << ": " << summary.message;
  if (middle) *middle = watch.middle;
  return watch.records;
}

/// Gradients of the three losses by omega at the start, on the first batch.
std::vector<torch::Tensor> first_gradients(ThreeTasks& problem) {
  problem.lower().values();
  std::vector<torch::Tensor> rows;
  for (const auto& loss : problem.upper_losses(problem.lower_batches().at(0))) {
    auto parts = torch::autograd::grad({loss}, problem.lower().leaves(), {}, true, false, true);
    std::vector<torch::Tensor> flat;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      flat.push_back(parts[i].defined() ? parts[i].flatten()
                                        : torch::zeros_like(problem.lower().leaves()[i]).flatten());
    }
    rows.push_back(torch::cat(flat));
  }
  return rows;
}

TEST(SingleLevel, EqualWeightsAreGradientDescentOnTheSum) {
  ThreeTasks problem;
  const auto rows = first_gradients(problem);
  const auto start = problem.lower().values().clone();
  const auto records = trained(problem, "ew", 1, 0.1);
  const auto expected = start - 0.1 * (rows[0] + rows[1] + rows[2]);
  EXPECT_LT((problem.lower().values() - expected).abs().max().item().toDouble(), 1e-14);
  EXPECT_EQ(records[0].weights, (std::vector<double>{1, 1, 1}));
}

TEST(SingleLevel, HeadsTakeTheirOwnGradientUnderAGradientWeighting) {
  ThreeTasks problem;
  const auto rows = first_gradients(problem);
  const auto start = problem.lower().values().clone();
  const auto records = trained(problem, "mgda", 1, 0.1);
  auto expected = torch::zeros_like(start);
  for (std::size_t i = 0; i < 3; ++i) {
    expected.narrow(0, 0, 20).add_(rows[i].narrow(0, 0, 20), records[0].weights[i]);
    expected.narrow(0, 20, 12).add_(rows[i].narrow(0, 20, 12));
  }
  EXPECT_LT((problem.lower().values() - (start - 0.1 * expected)).abs().max().item().toDouble(), 1e-14);
}

TEST(SingleLevel, AlphaStays) {
  ThreeTasks problem;
  trained(problem, "mgda", 3, 0.05);
  EXPECT_EQ(problem.upper().values().abs().max().item().toDouble(), 0);
}

class EveryWeighting : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryWeighting, LowersTheLossesAndResumesToTheSameBits) {
  ThreeTasks problem, again;
  std::optional<Snapshot> middle;
  const auto records = trained(problem, GetParam(), 60, 0.02, nullptr, &middle);
  const auto total = [](const StepRecord& record) {
    return std::accumulate(record.losses.begin(), record.losses.end(), 0.0);
  };
  EXPECT_LT(total(records.back()), total(records.front()));

  ASSERT_TRUE(middle);
  const auto rest = trained(again, GetParam(), 60, 0.02, &*middle);
  ASSERT_EQ(rest.size(), 30U);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), records.begin() + 30));
  EXPECT_TRUE(torch::equal(problem.lower().values(), again.lower().values()));
}

TEST_P(EveryWeighting, TrainsInSinglePrecision) {
  ThreeTasks problem(torch::kFloat32);
  const auto records = trained(problem, GetParam(), 5, 0.02);
  EXPECT_TRUE(std::isfinite(records.back().losses[0]));
}

std::vector<std::string> weighting_names() {
  std::vector<std::string> names;
  for (const auto& info : weighting_catalogue()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryWeighting, ::testing::ValuesIn(weighting_names()),
                         [](const auto& test) { return test.param; });

TEST(SingleLevel, NoTwoWeightingsTakeTheSameWay) {
  std::map<std::string, torch::Tensor> ends;
  for (const auto& name : weighting_names()) {
    ThreeTasks problem;
    trained(problem, name, 20, 0.02);
    ends[name] = problem.lower().values().clone();
  }
  for (auto a = ends.begin(); a != ends.end(); ++a) {
    for (auto b = std::next(a); b != ends.end(); ++b) {
      EXPECT_GT((a->second - b->second).abs().max().item().toDouble(), 1e-9) << a->first << " and " << b->first;
    }
  }
}

}  // namespace
}  // namespace moblo
