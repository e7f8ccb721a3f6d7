// Methods on one level: what they do to shared parameters and heads, and that every weighting trains and resumes.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/qp/min_norm.hpp"
#include "moblo/training/training.hpp"
#include "tests/moblo/methods/three_tasks.hpp"

namespace moblo::methods::single_level_test {
namespace {

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
                                const Snapshot* resume = nullptr, std::optional<Snapshot>* middle = nullptr,
                                const Json& options = Json::object()) {
  Watch watch;
  RunControl control;
  control.observers = {&watch};
  control.resume = resume;
  const auto made = method(name, options);
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

const Json by_representation{{"gradients", "representation"}};

/// Rows of the losses' gradients by the features, on the first batch.
Eigen::MatrixXd representation_gramian(ThreeTasks& problem) {
  const auto cut = problem.cut_at_representation(problem.lower_batches().at(0));
  std::vector<torch::Tensor> rows;
  for (const auto& loss : cut.losses) rows.push_back(torch::autograd::grad({loss}, {cut.leaf})[0].flatten());
  const auto products = torch::mm(torch::stack(rows), torch::stack(rows).t()).contiguous();
  return Eigen::Map<Eigen::MatrixXd>(products.data_ptr<double>(), 3, 3);
}

TEST(SingleLevel, WeighsTheGradientsByTheRepresentationAndMovesAllParameters) {
  ThreeTasks problem;
  const auto rows = first_gradients(problem);
  qp::MinNormSolver solver;
  const Eigen::VectorXd weights = solver.solve(representation_gramian(problem)).weights;
  const auto start = problem.lower().values().clone();
  const auto records = trained(problem, "mgda", 1, 0.1, nullptr, nullptr, by_representation);
  auto expected = torch::zeros_like(start);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(records[0].weights[i], weights(static_cast<Eigen::Index>(i)), 1e-12);
    expected.narrow(0, 0, 20).add_(rows[i].narrow(0, 0, 20), weights(static_cast<Eigen::Index>(i)));
    expected.narrow(0, 20, 12).add_(rows[i].narrow(0, 20, 12));
  }
  EXPECT_LT((problem.lower().values() - (start - 0.1 * expected)).abs().max().item().toDouble(), 1e-12);
}

TEST(SingleLevel, RefusesARepresentationThatIsNotThere) {
  conformance::Quadratic problem({}, 1);
  const auto made = method("mgda", by_representation);
  EXPECT_THROW(made->start(problem, 2), Error);
  EXPECT_THROW(method("ew", by_representation), Error) << "one pass anyway";
  EXPECT_THROW(method("modo", by_representation), Error) << "three batches";
  EXPECT_THROW(method("dbmtl", by_representation), Error) << "an average over batches";
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

TEST_P(EveryWeighting, DoesTheSameByTheRepresentationWhereItCan) {
  const auto& fields = find_method(GetParam(), "test").fields;
  if (std::none_of(fields.begin(), fields.end(), [](const auto& f) { return f.key == "gradients"; })) return;
  ThreeTasks problem, again;
  std::optional<Snapshot> middle;
  const auto records = trained(problem, GetParam(), 60, 0.02, nullptr, &middle, by_representation);
  EXPECT_LT(records.back().losses[0] + records.back().losses[1] + records.back().losses[2],
            records.front().losses[0] + records.front().losses[1] + records.front().losses[2]);
  ASSERT_TRUE(middle);
  const auto rest = trained(again, GetParam(), 60, 0.02, &*middle, nullptr, by_representation);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), records.begin() + 30));
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
}  // namespace moblo::methods::single_level_test
