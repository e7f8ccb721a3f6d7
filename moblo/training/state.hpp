#pragma once

#include <string>

#include "moblo/methods/method.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/snapshot.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::training {

/// alpha, omega, module buffers, positions of the batch streams and torch's random numbers.
void save_iterate(BilevelProblem& problem, Snapshot& to);
/// Throws Error(checkpoint) where names or shapes are not those of the problem.
void restore_iterate(BilevelProblem& problem, const Snapshot& from);

/// Snapshots on disk, and back.
records::TensorFile to_file(const Snapshot& snapshot);
Snapshot to_snapshot(const records::TensorFile& file);

/// The trained model alone, by the names of its parameters: what model.safetensors holds.
records::TensorFile model_file(BilevelProblem& problem);
/// A copy of the same, and the way back.
Snapshot model_of(BilevelProblem& problem);
void load_model(BilevelProblem& problem, const Snapshot& model);

}  // namespace moblo::training
