// The methods after FORUM against an independent implementation in NumPy (tools/golden/bilevel_methods.py).
#include <gtest/gtest.h>

#include "tests/golden.hpp"
#include "tests/moblo/methods/recorded.hpp"
#include "tests/moblo/methods/small_problem.hpp"

namespace moblo::methods::later_golden_test {
namespace {

constexpr double tolerance = 1e-10;

void expect_near(const std::vector<double>& found, const Json& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i].get<double>(), tolerance) << what;
}

TEST(LaterMethods, FollowAnIndependentImplementation) {
  const auto document = golden::read("bilevel_methods.json");
  ASSERT_GE(document.at("cases").size(), 8U);
  for (const auto& entry : document.at("cases")) {
    const auto name = entry.at("method").get<std::string>();
    const auto& points = entry.at("points");
    for (std::size_t iterations = 1; iterations <= points.size(); iterations += points.size() - 1) {
      Small problem(document.at("problem"));
      const auto run =
          recorded(problem, name, entry.at("options"),
                   plain_steps(static_cast<std::int64_t>(iterations), entry.at("alpha_step"), entry.at("omega_step")));
      ASSERT_EQ(run.records.size(), iterations) << name << ": " << run.summary.message;
      expect_near(run.summary.alpha, points[iterations - 1].at("alpha"), name + ", alpha");
      expect_near(run.summary.omega, points[iterations - 1].at("omega"), name + ", omega");
      for (std::size_t k = 0; k < iterations; ++k) {
        const auto what = name + ", iteration " + std::to_string(k);
        expect_near(run.records[k].weights, points[k].at("weights"), what + ", weights");
        expect_near(run.records[k].losses, points[k].at("losses"), what + ", losses");
        const double kkt = points[k].at("kkt").get<double>();
        EXPECT_NEAR(run.records[k].kkt, kkt, tolerance * (1 + kkt)) << what;
        EXPECT_NEAR(run.records[k].nu, points[k].value("nu", run.records[k].nu), 1e-9) << what;
        EXPECT_NEAR(run.records[k].q, points[k].value("q", run.records[k].q), tolerance) << what;
      }
    }
  }
}

}  // namespace
}  // namespace moblo::methods::later_golden_test
