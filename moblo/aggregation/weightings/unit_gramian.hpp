#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/qp/problem.hpp"

namespace moblo::aggregation {

/// The cosines of the gradients that are not zero.
struct UnitGramian {
  explicit UnitGramian(const Eigen::MatrixXd& gramian) {
    for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
      if (qp::row_length(gramian, i) > 0) rows.push_back(i);
    }
    const auto count = static_cast<Eigen::Index>(rows.size());
    lengths.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) lengths(k) = qp::row_length(gramian, rows[static_cast<std::size_t>(k)]);
    cosines = gramian(rows, rows);
    for (Eigen::Index k = 0; k < count; ++k) {
      cosines.row(k) /= lengths(k);
      cosines.col(k) /= lengths(k);
    }
  }

  std::vector<Eigen::Index> rows;
  Eigen::VectorXd lengths;
  Eigen::MatrixXd cosines;
};

}  // namespace moblo::aggregation
