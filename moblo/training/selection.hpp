#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "moblo/problem/problem.hpp"
#include "moblo/problem/snapshot.hpp"
#include "moblo/records/records.hpp"

namespace moblo::training {

/// Keeps the model with the largest value of one metric (of a validation set, say), or with the smallest where its name
/// is given with a minus before it ("-select loss"); of equals, the first. A copy of it
/// is cheap: the tensors it holds are never written to.
class Selection {
 public:
  explicit Selection(std::string metric) : metric_(std::move(metric)) {}

  bool wanted() const { return !metric_.empty(); }
  /// Throws Error(config) that names the metrics there are.
  void refuse_unknown_metric(const Evaluation& evaluation) const;

  /// Whether it is the best so far.
  bool offer(const Evaluation& evaluation, BilevelProblem& problem);
  bool chosen() const { return best_.has_value(); }
  const Snapshot& model() const { return model_; }
  /// Its iteration and all its metrics.
  Json describe() const;

  void save(Snapshot& to) const;
  void restore(const Snapshot& from, BilevelProblem& problem);

 private:
  std::optional<double> value_in(const Evaluation& evaluation) const;

  std::string metric_;
  std::optional<double> best_;
  Evaluation evaluation_;
  Snapshot model_;
};

}  // namespace moblo::training
