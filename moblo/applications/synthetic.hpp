#pragma once

#include <memory>

#include "moblo/applications/toy_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

/// min (|w - (1, a)|^2, |w - (2, a)|^2)  s.t.  w in argmin |w - a|^2. Solutions: a = w_1 = w_2 = c, c in [1, 2].
class Synthetic : public BilevelProblem {
 public:
  explicit Synthetic(const SyntheticOptions& options = {});

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override { return synthetic_info().traits; }
  std::optional<double> distance_to_solution_set() override;

 private:
  torch::Tensor alpha_, omega_, first_, second_;
};

torch::ScalarType scalar_type(Dtype dtype);
std::unique_ptr<BilevelProblem> make_synthetic(const Json& options, std::uint64_t seed);

}  // namespace moblo
