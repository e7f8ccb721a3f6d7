#pragma once

#include <vector>

#include "moblo/methods/method.hpp"
#include "moblo/methods/search_options.hpp"

namespace moblo::methods {

/// What methods share that only try points: F of the model that is trained with an alpha, and the best point so far by
/// the mean of F, which is the iterate. F that is not finite counts as very bad and moves nothing.
class SearchMethod : public Method {
 public:
  explicit SearchMethod(const SearchOptions& options) : options_(options) {}

  MethodTraits traits() const override { return {.gradient_free = true}; }
  void start(BilevelProblem& problem, std::int64_t objectives) override;
  /// The best point is known already: nothing is trained here.
  Measurement measure(const StepContext& context) override;
  /// Tries points, then moves the iterate to the best one where a better one was found.
  void move(const Measurement& here, const StepContext& context, Updater& updater) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 protected:
  /// The points of one step, each judged by evaluate().
  virtual void try_points(const StepContext& context) = 0;
  /// Trains omega from omega_0 with this alpha and returns F_1 .. F_m.
  std::vector<double> evaluate(const StepContext& context, const std::vector<double>& alpha);

  const std::vector<double>& low() const { return low_; }
  std::size_t objectives() const { return objectives_; }
  const std::vector<double>& high() const { return high_; }
  /// A point between them, uniformly.
  std::vector<double> random_point(std::uint64_t seed) const;

 private:
  static bool has_finite_lower_loss(BilevelProblem& problem);
  std::vector<double> upper_losses(BilevelProblem& problem) const;

  SearchOptions options_;
  std::size_t objectives_ = 0;
  std::vector<double> low_, high_;
  torch::Tensor initial_alpha_, initial_omega_;
  std::vector<double> best_losses_;  // empty before the first point
  std::vector<double> new_alpha_;    // of this step, where it is better; not state
  torch::Tensor new_omega_;
};

/// Rows of doubles as one tensor, and back: how populations and histories are saved.
torch::Tensor to_tensor(const std::vector<std::vector<double>>& rows);
/// Rows that to_tensor() made, in the number and of the width that they must have. Throws Error(checkpoint).
std::vector<std::vector<double>> rows_of(const Snapshot& from, const std::string& name, std::int64_t count,
                                         std::size_t width);

double mean_of(const std::vector<double>& values);

}  // namespace moblo::methods
