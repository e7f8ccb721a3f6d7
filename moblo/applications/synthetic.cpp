#include "moblo/applications/synthetic.hpp"

#include <algorithm>
#include <cmath>

namespace moblo {

torch::ScalarType scalar_type(Dtype dtype) {
  return dtype == Dtype::f32 ? torch::kFloat32 : torch::kFloat64;
}

Synthetic::Synthetic(const SyntheticOptions& options) {
  const auto type = torch::dtype(scalar_type(options.dtype));
  alpha_ = torch::full({1}, options.alpha, type);
  omega_ = torch::tensor(options.omega, type);
  first_ = torch::tensor({1.0, 0.0}, type);
  second_ = torch::tensor({2.0, 0.0}, type);
  upper_.add("alpha", alpha_);
  lower_.add("omega", omega_);
}

std::vector<torch::Tensor> Synthetic::upper_losses(const Batch&) {
  const auto second_coordinate = torch::cat({torch::zeros_like(alpha_), alpha_});  // (0, a)
  const auto gap = omega_ - second_coordinate;
  return {(gap - first_).square().sum(), (gap - second_).square().sum()};
}

torch::Tensor Synthetic::lower_loss(const Batch&) {
  return (omega_ - alpha_).square().sum();
}

/// The nearest c is the mean of the coordinates, clipped.
std::optional<double> Synthetic::distance_to_solution_set() {
  const auto w = omega_.detach().to(torch::kFloat64);
  const double a = alpha_.item().toDouble(), w1 = w[0].item().toDouble(), w2 = w[1].item().toDouble();
  const double c = std::clamp((a + w1 + w2) / 3, 1.0, 2.0);
  return std::hypot(a - c, w1 - c, w2 - c);
}

std::unique_ptr<BilevelProblem> make_synthetic(const Json& options, std::uint64_t) {
  SyntheticOptions read;
  SyntheticOptions::table().read(options, read, {});
  return std::make_unique<Synthetic>(read);
}

}  // namespace moblo
