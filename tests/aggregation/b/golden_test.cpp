#include <fstream>

#include "driver.hpp"

namespace moblo::weightings {
namespace {

Eigen::VectorXd vector_of(const Json& values) {
  const auto numbers = values.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

RowMatrix matrix_of(const Json& rows) {
  RowMatrix matrix(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    matrix.row(static_cast<Eigen::Index>(i)) = vector_of(rows[i]).transpose();
  return matrix;
}

void expect_run(const Json& run) {
  const Eigen::Index m = run.at("m");
  auto weighting = make(run.at("weighting"), m, run.at("options"));
  const double tolerance = run.at("tolerance");
  for (std::size_t k = 0; k < run.at("steps").size(); ++k) {
    const Json& step = run.at("steps")[k];
    const Given given{static_cast<std::int64_t>(k), run.at("epoch_length"), vector_of(step.at("losses")),
                      vector_of(step.at("losses_after")), matrix_of(step.at("rows"))};
    const Answer answer = run_step(*weighting, given);
    const Eigen::VectorXd direction = vector_of(step.at("direction")), heads = vector_of(step.at("heads"));
    EXPECT_LE((answer.direction - direction).norm(), tolerance * (1 + direction.norm())) << "k=" << k;
    EXPECT_LE((answer.weights.heads - heads).norm(), tolerance * (1 + heads.norm())) << "k=" << k;
  }
}

TEST(Golden, RunsAgreeWithNumPy) {
  std::ifstream file(std::string(MOBLO_SOURCE_DIR) + "/tests/golden/weightings_b.json");
  const Json golden = Json::parse(file);
  std::vector<std::string> seen;
  for (const Json& run : golden.at("runs")) {
    SCOPED_TRACE(run.at("weighting").get<std::string>() + " " + run.at("options").dump() + " m=" + run.at("m").dump());
    expect_run(run);
    seen.push_back(run.at("weighting"));
  }
  for (const std::string& name : names) EXPECT_NE(std::find(seen.begin(), seen.end(), name), seen.end()) << name;
}

}  // namespace
}  // namespace moblo::weightings
