#pragma once

#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/records/records.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::training {

/// How the lower level is solved again, at the alpha that a run has found.
struct MOBLO_API RefitOptions {
  std::int64_t steps = 1000;     ///< gradient steps on f(alpha, .), each on a batch of the lower stream, from its start
  OptimiserOptions optimiser{};  ///< of these steps
  torch::Tensor start{};         ///< flat, like problem.lower().values(); undefined: the present omega
  std::vector<torch::Tensor> start_rows{};  ///< of per-row lower parameters, in their order; empty: the present ones
  std::string select{};            ///< the best of `evaluations` models by this metric is reported; empty = the last
  std::int64_t evaluations = 20;   ///< moments at which `select` is looked at
  std::int64_t most_batches = 64;  ///< over which F and f are averaged, or one epoch where that is shorter
  double seconds = 0;              ///< wall time that it may take: fewer steps then; 0 = no bound

  /// The omega of now, to go back to later.
  void start_here(BilevelProblem& problem);
  static const OptionTable<RefitOptions>& table();
};

/// As a run with these options trains omega. A schedule that waits for better models has none to wait for here.
MOBLO_API RefitOptions refit_options(const TrainingOptions& run);

/// F(alpha, omega) of a method that moves omega by upper gradients (FORUM, BOME, BVFIM) is the joint model's; what
/// alpha alone is worth is F at a solution of the lower problem. Trains omega on f(alpha, .) alone and measures both
/// models on the same batches. Alpha, omega, buffers, streams and torch's generator are left as they were. Empty where
/// `stop` asked for it, and where `seconds` are too few for a step.
MOBLO_API std::optional<records::Refit> refit(BilevelProblem& problem, const RefitOptions& options = {},
                                              const std::atomic<bool>* stop = nullptr);

}  // namespace moblo::training

namespace moblo {

using records::Refit;
using training::refit;
using training::RefitOptions;

}  // namespace moblo
