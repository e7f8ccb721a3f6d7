#include "moblo/gradients/gradient_matrix.hpp"

#include <gtest/gtest.h>

#include "tests/moblo/gradients/tolerances.hpp"

namespace moblo::gradients {
namespace {

GradientMatrix random_matrix(std::int64_t rows, std::int64_t columns, torch::ScalarType type) {
  torch::manual_seed(3);
  GradientMatrix matrix;
  matrix.reset(rows, 1, columns - 1, torch::dtype(type));
  for (std::int64_t i = 0; i < rows; ++i) matrix.row(i).copy_(torch::randn({columns}, type));
  return matrix;
}

TEST(GradientMatrix, GramianEqualsTheProductInDouble) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    for (const std::int64_t columns : {1, 7, 8191, 8192, 8193, 50000}) {
      const auto matrix = random_matrix(4, columns, type);
      const auto gramian = matrix.gramian();
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          const auto product = torch::dot(matrix.row(i).to(torch::kFloat64), matrix.row(j).to(torch::kFloat64));
          EXPECT_NEAR(gramian(i, j), product.item().toDouble(), testing::f64.value * static_cast<double>(columns));
        }
      }
    }
  }
}

TEST(GradientMatrix, GramianDoesNotDependOnTheNumberOfThreads) {
  const auto matrix = random_matrix(3, 100000, torch::kFloat32);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = matrix.gramian();
  at::set_num_threads(2);
  const auto two = matrix.gramian();
  at::set_num_threads(threads);
  EXPECT_EQ(one, two);
}

TEST(GradientMatrix, GramianOfSinglePrecisionKeepsWhatSinglePrecisionWouldLose) {
  GradientMatrix matrix;
  constexpr std::int64_t columns = 100000;
  matrix.reset(1, 0, columns, torch::dtype(torch::kFloat32));
  matrix.row(0).fill_(1e-3F);
  matrix.row(0)[0] = 100.0F;
  const double small = static_cast<double>(1e-3F);
  const double exact = 1e4 + (columns - 1) * small * small;
  EXPECT_NEAR(matrix.gramian()(0, 0), exact, 1e-9);
}

TEST(GradientMatrix, CombineIsTheWeightedSumOfRows) {
  auto matrix = random_matrix(3, 1000, torch::kFloat64);
  const Eigen::Vector3d weights(0.2, -1.5, 3);
  const auto expected = 0.2 * matrix.row(0) - 1.5 * matrix.row(1) + 3 * matrix.row(2);
  EXPECT_LT(testing::distance(matrix.combine(weights), expected), testing::f64.value);
}

TEST(GradientMatrix, CombineEqualsTheProductOnAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  const Eigen::Vector3d weights(0.25, -1.5, 3);  // exact in single precision
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    for (const std::int64_t columns : {1, 31, 64, 65, 32768, 32769, 100000}) {
      auto matrix = random_matrix(3, columns, type);
      at::set_num_threads(1);
      const auto one = matrix.combine(weights).clone();
      at::set_num_threads(2);
      EXPECT_TRUE(torch::equal(matrix.combine(weights), one));
      const auto row = [&](std::int64_t i) { return matrix.row(i).to(torch::kFloat64); };
      const auto exact = 0.25 * row(0) - 1.5 * row(1) + 3 * row(2);
      const double largest = (one.to(torch::kFloat64) - exact).abs().max().item().toDouble();
      EXPECT_LT(largest, type == torch::kFloat32 ? 3e-6 : testing::f64.value) << columns;
    }
  }
  at::set_num_threads(threads);
}

TEST(GradientMatrix, PartsOfACombinationLieSideBySideInMemoryThatIsKept) {
  auto matrix = random_matrix(2, 100, torch::kFloat32);
  const Eigen::Vector2d first(1, 0), second(0, 1);
  const auto* kept = matrix.combine(first).data_ptr();
  matrix.combine(first, 0, 30);
  matrix.combine(second, 30, 70);
  EXPECT_EQ(matrix.combined().data_ptr(), kept);
  EXPECT_TRUE(
      torch::equal(matrix.combined(), torch::cat({matrix.row(0).narrow(0, 0, 30), matrix.row(1).narrow(0, 30, 70)})));
}

TEST(GradientMatrix, ResetKeepsTheMemoryAndClearsIt) {
  auto matrix = random_matrix(3, 100, torch::kFloat32);
  const auto* memory = matrix.row(0).data_ptr<float>();
  matrix.reset(2, 5, 90, torch::dtype(torch::kFloat32));
  EXPECT_EQ(matrix.row(0).data_ptr<float>(), memory);
  EXPECT_EQ(matrix.gramian().norm(), 0);
  EXPECT_EQ(matrix.upper_part(1).numel(), 5);
  EXPECT_EQ(matrix.lower_part(1).numel(), 90);
}

}  // namespace
}  // namespace moblo::gradients
