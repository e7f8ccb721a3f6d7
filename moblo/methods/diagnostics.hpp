#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/methods/method.hpp"

namespace moblo {

/// Throws NotFinite that names the first culprit. The Gramian's leading rows are the objectives', one for each loss; a
/// further one is grad q's.
void refuse_not_finite(const std::vector<double>& losses, double lower_loss, double reached_loss,
                       const Eigen::MatrixXd& gramian);

/// Lengths of all rows, cosines between those of the objectives.
void describe_gradients(const Eigen::MatrixXd& gramian, std::int64_t objectives, StepRecord& record);

}  // namespace moblo
