#pragma once

#include "moblo/aggregation/weighting.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/problem/snapshot.hpp"

namespace moblo::methods {

/// Gramian of the first `columns` of the rows, after the weighting has rewritten them where it wants to.
void rewrite_rows(Weighting& weighting, TaskStep& seen, gradients::GradientMatrix& matrix, std::int64_t columns);

void save_weighting(const Weighting& weighting, Snapshot& to);
void restore_weighting(const Snapshot& from, Weighting& weighting);

}  // namespace moblo::methods
