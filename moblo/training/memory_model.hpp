#pragma once

#include <optional>

#include "moblo/gradients/contract.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::training {

/// Bytes that training adds to a process that holds data and network: the vectors as long as omega or alpha that the
/// method, the optimisers and the choice of the model keep, and what one pass through the losses needs. Empty where the
/// method does not say what it holds. Evaluations are not in it.
std::optional<std::int64_t> predict_added_bytes(BilevelProblem& problem, const gradients::ProblemShape& shape,
                                                const Method& method, const TrainingOptions& options);

}  // namespace moblo::training
