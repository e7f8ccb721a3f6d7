#pragma once

#include <string>
#include <utility>
#include <vector>

#include "moblo/problem/snapshot.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

// What train() looks at before iteration 0: there an error in what was given is thrown, later it ends the run.

void refuse_inference_mode();
void refuse_null_observers(const RunControl& control);
/// A checkpoint of another method, or of another number of objectives.
void refuse_foreign(const Snapshot& state, const std::string& method, std::int64_t objectives);
/// The problem's metrics; whatever evaluate() throws becomes an Error.
std::vector<std::pair<std::string, double>> first_metrics(BilevelProblem& problem);
/// A library cannot restart its process with another kernel, as the program does; it can say so.
void warn_once_of_slow_blas();

}  // namespace moblo::training
