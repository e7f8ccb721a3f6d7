#pragma once

#include "moblo/records/records.hpp"

namespace moblo::gradients {

/// Gradients that this thread has computed so far. The loop takes differences: what one iteration cost.
GradientCounts& gradient_counts();

}  // namespace moblo::gradients
