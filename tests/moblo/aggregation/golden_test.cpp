#include "tests/golden.hpp"
#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

constexpr double golden_tolerance = 1e-7;

Eigen::VectorXd vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TaskGradients matrix_of(const Json& json) {
  TaskGradients rows(static_cast<Eigen::Index>(json.size()), static_cast<Eigen::Index>(json.at(0).size()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = vector_of(json.at(static_cast<std::size_t>(i))).transpose();
  return rows;
}

bool close(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double tolerance) {
  return a.size() == b.size() && (a - b).norm() <= tolerance * (1e-3 + b.norm());
}

/// `directions`: one of these it must be, for where random orders decide there are several.
void expect_golden(const Json& golden) {
  const auto& steps = golden.at("steps");
  const double tolerance = golden.value("tolerance", golden_tolerance);
  Steps run(golden.at("method"), static_cast<Eigen::Index>(steps.at(0).at("losses").size()), golden.at("options"));
  for (const auto& step : steps) {
    const auto after = vector_of(step.value("losses_after", step.at("losses")));
    const auto out = run.next(matrix_of(step.at("gradients")), vector_of(step.at("losses")), after);
    if (step.contains("heads")) {
      EXPECT_TRUE(close(out.weights.heads, vector_of(step.at("heads")), tolerance)) << out.weights.heads.transpose();
    }
    bool met = false;
    for (const auto& direction : step.at("directions"))
      met = met || close(out.direction, vector_of(direction), tolerance);
    EXPECT_TRUE(met) << "step " << run.k() - 1 << ": " << out.direction.transpose() << "\nis none of\n"
                     << step.at("directions").dump();
  }
}

class GoldenWeightings : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenWeightings, AgreeWithNumPy) {
  for (const auto& values : golden::cases(GetParam())) {
    SCOPED_TRACE(values.at("method").get<std::string>() + " " + values.at("options").dump());
    expect_golden(values);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenWeightings,
                         ::testing::Values("weightings.json", "weightings_b.json", "weightings_c.json"),
                         [](const auto& each) { return each.param.substr(0, each.param.find('.')); });

TEST(GoldenFile, FailsTheTestWhereItIsMissing) {
  EXPECT_THROW(golden::cases("no_such_file.json"), std::runtime_error);
  EXPECT_THROW(golden::cases("event_file.json"), std::exception);  // which holds no cases
}

}  // namespace
}  // namespace moblo::aggregation::testing
