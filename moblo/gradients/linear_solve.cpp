#include "moblo/gradients/linear_solve.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::gradients {
namespace {

/// In double, whatever the vectors' type: the recursion lives on these quotients.
double inner_product(const torch::Tensor& a, const torch::Tensor& b) {
  return torch::dot(a.to(torch::kFloat64), b.to(torch::kFloat64)).item().toDouble();
}

}  // namespace

torch::Tensor conjugate_gradients(const LinearOperator& a, const torch::Tensor& b, std::int64_t steps,
                                  double tolerance) {
  auto x = torch::zeros_like(b), residual = b.clone(), direction = b.clone();
  double square = inner_product(residual, residual);
  const double target = tolerance * tolerance * square;
  for (std::int64_t j = 0; j < steps && square > target; ++j) {
    const auto image = a(direction);
    const double curvature = inner_product(direction, image);
    if (curvature <= 0) {
      throw Error(ErrorKind::numeric, fmt::format("curvature {} of the lower loss at w_T", curvature),
                  "the implicit hypergradient needs a positive definite lower Hessian",
                  "Choose hypergradient = \"reverse\", or regularise the lower loss");
    }
    const double length = square / curvature;
    x.add_(direction, length);
    residual.sub_(image, length);
    const double before = square;
    square = inner_product(residual, residual);
    direction.mul_(square / before).add_(residual);
  }
  return x;
}

torch::Tensor neumann_series(const LinearOperator& a, const torch::Tensor& b, std::int64_t terms, double step) {
  auto term = b.clone();
  auto sum = torch::zeros_like(b);
  for (std::int64_t j = 0; j < terms; ++j) {
    sum.add_(term, step);
    if (j + 1 < terms) term.sub_(a(term), step);
  }
  return sum;
}

}  // namespace moblo::gradients
