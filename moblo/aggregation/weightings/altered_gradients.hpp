#pragma once

#include <Eigen/Core>

#include "moblo/base/rng.hpp"

namespace moblo::aggregation {

/// sum_i g~_i, where g~_i starts as g_i and gains multiple(i, j, c) g_j for every other j, in a random order of its
/// own. g~_i is carried as its coefficients c: <g~_i, g_j> = (G c)_j, so that the gradients are never touched.
template <class Multiple>
Eigen::VectorXd sum_of_altered(Eigen::Index tasks, Rng rng, Multiple multiple) {
  Eigen::VectorXd total = Eigen::VectorXd::Zero(tasks);
  for (Eigen::Index i = 0; i < tasks; ++i) {
    Eigen::VectorXd own = Eigen::VectorXd::Unit(tasks, i);
    for (const Eigen::Index j : rng.permutation(tasks)) {
      if (j != i) own(j) += multiple(i, j, own);
    }
    total += own;
  }
  return total;
}

}  // namespace moblo::aggregation
