#pragma once

#include <memory>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::conformance {

/// Appendix C of the paper.
struct SyntheticOptions {
  double alpha = 0;                 ///< alpha_0
  std::vector<double> omega{0, 3};  ///< omega_0
  Dtype dtype = Dtype::f64;
  bool tasks = false;  ///< both objectives count as losses of tasks: methods on one level run, too

  static const OptionTable<SyntheticOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

ProblemInfo synthetic_info();

/// min (|w - (1, a)|^2, |w - (2, a)|^2)  s.t.  w in argmin |w - a|^2. Solutions: a = w_1 = w_2 = c, c in [1, 2].
class Synthetic : public BilevelProblem {
 public:
  explicit Synthetic(const SyntheticOptions& options = {});

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override;
  std::optional<double> distance_to_solution_set() override;

 private:
  torch::Tensor alpha_, omega_, first_, second_;
  bool tasks_;
};

}  // namespace moblo::conformance
