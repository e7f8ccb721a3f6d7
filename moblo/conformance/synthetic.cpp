#include "moblo/conformance/synthetic.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/conformance/starts.hpp"

namespace moblo::conformance {

Synthetic::Synthetic(const SyntheticOptions& options) : tasks_(options.tasks) {
  const auto type = torch::dtype(problem::scalar_type(options.dtype));
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

ProblemTraits Synthetic::traits() const {
  auto traits = synthetic_info().traits;
  traits.tasks = tasks_;
  return traits;
}

/// The nearest c is the mean of the coordinates, clipped.
std::optional<double> Synthetic::distance_to_solution_set() {
  const auto w = omega_.detach().to(torch::kFloat64);
  const double a = alpha_.item().toDouble(), w1 = w[0].item().toDouble(), w2 = w[1].item().toDouble();
  const double c = std::clamp((a + w1 + w2) / 3, 1.0, 2.0);
  return std::hypot(a - c, w1 - c, w2 - c);
}

const OptionTable<SyntheticOptions>& SyntheticOptions::table() {
  static const auto table = [] {
    using O = SyntheticOptions;
    OptionTable<O> t;
    t.add("alpha", &O::alpha, "alpha_0, the start");
    t.add("omega", &O::omega, "omega_0, the start");
    t.add("dtype", &O::dtype, problem::dtype_help);
    t.add("tasks", &O::tasks,
          "both objectives count as losses of tasks: from Python and C++ methods on one level run, too");
    return t;
  }();
  return table;
}

void SyntheticOptions::refuse_contradictions(const OptionPlace& place) const {
  refuse_unless_pair(omega, place);
}

ProblemInfo synthetic_info() {
  return problem::make_problem_info<Synthetic, SyntheticOptions>(
      "synthetic", "the paper's synthetic problem (Appendix C): two objectives, alpha in R, omega in R^2",
      {.known_solution_set = true, .strongly_convex_lower = true});
}

}  // namespace moblo::conformance
