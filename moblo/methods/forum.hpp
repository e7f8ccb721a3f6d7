#pragma once

#include "moblo/aggregation/forum_weighting.hpp"
#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/forum_options.hpp"
#include "moblo/methods/lower_loop.hpp"

namespace moblo {

/// Algorithm 1 of the paper.
class Forum : public Method {
 public:
  explicit Forum(const ForumOptions& options = {});

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t) const override { return lower_loop_.held_by_constrained_step(); }

 private:
  double beta(BilevelProblem& problem, std::int64_t k) const;

  ForumOptions options_;
  ForumWeighting weighting_;
  LowerLoop lower_loop_;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_forum(const Json& options);

}  // namespace moblo
