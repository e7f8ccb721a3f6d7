#pragma once

#include "moblo/methods/genetic.hpp"
#include "moblo/methods/search.hpp"

namespace moblo {

/// A population of alphas, each judged by F of the model that is trained with it; the first step draws and judges it,
/// each further one is a generation. The iterate is the best point by the mean of F.
class Nsga2 : public Method {
 public:
  explicit Nsga2(const Nsga2Options& options = {}) : options_(options), search_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

  /// Non-dominated points of all that were ever judged.
  const std::vector<Individual>& archive() const { return archive_; }

 private:
  Nsga2Options options_;
  Search search_;
  std::int64_t generation_ = 0;
  std::vector<Individual> population_, archive_;
};

std::unique_ptr<Method> make_nsga2(const Json& options);

}  // namespace moblo
