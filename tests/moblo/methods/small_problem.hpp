#pragma once

#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::methods {

inline torch::Tensor vector_of(const Json& values) {
  return torch::tensor(values.get<std::vector<double>>(), torch::kFloat64);
}

inline torch::Tensor matrix_of(const Json& rows) {
  std::vector<torch::Tensor> all;
  for (const auto& row : rows) all.push_back(vector_of(row));
  return torch::stack(all);
}

/// The problem of tools/golden/bilevel_methods.py:
/// f = 1/2 r'H r + kappa/12 sum w^4 + e^{a_0}/20 |w|^2, r = w - B a;
/// F_i = 1/2 |w - u_i|^2 + 1/2 |a - v_i|^2 + t_i a'D w.
class Small : public BilevelProblem {
 public:
  explicit Small(const Json& data)
      : alpha_(vector_of(data.at("alpha"))),
        omega_(vector_of(data.at("omega"))),
        h_(matrix_of(data.at("H"))),
        b_(matrix_of(data.at("B"))),
        d_(matrix_of(data.at("D"))),
        u_(matrix_of(data.at("u"))),
        v_(matrix_of(data.at("v"))),
        t_(data.at("t").get<std::vector<double>>()),
        kappa_(data.at("kappa").get<double>()) {
    upper_.add("alpha", alpha_);
    lower_.add("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override {
    std::vector<torch::Tensor> losses;
    for (std::int64_t i = 0; i < 2; ++i) {
      losses.push_back(0.5 * (omega_ - u_[i]).square().sum() + 0.5 * (alpha_ - v_[i]).square().sum() +
                       t_[static_cast<std::size_t>(i)] * torch::dot(alpha_, torch::mv(d_, omega_)));
    }
    return losses;
  }
  torch::Tensor lower_loss(const Batch&) override {
    const auto r = omega_ - torch::mv(b_, alpha_);
    return 0.5 * torch::dot(r, torch::mv(h_, r)) + kappa_ / 12 * omega_.pow(4).sum() +
           alpha_[0].exp() / 20 * omega_.square().sum();
  }
  ProblemTraits traits() const override { return {.strongly_convex_lower = true}; }

 private:
  torch::Tensor alpha_, omega_, h_, b_, d_, u_, v_;
  std::vector<double> t_;
  double kappa_;
};

}  // namespace moblo::methods
