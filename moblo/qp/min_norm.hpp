#pragma once

#include "moblo/qp/residual.hpp"
#include "moblo/qp/simplex_qp.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// min over lambda in the simplex of 1/2 lambda'G lambda: the point of the hull of g_1..g_m nearest to the origin.
/// Allocates only when the size changes, or the first time that extended precision is needed.
class MinNormSolver {
 public:
  explicit MinNormSolver(Options options = {}) : options_(options) {}

  /// Warm-started from the previous certified solve. The reference is valid until the next call. Any finite Gramian:
  /// one whose products could overflow or underflow is solved in another unit of length (unit.hpp), exactly.
  const Solution& solve(const Eigen::Ref<const Eigen::MatrixXd>& gramian);

  const WarmStart& warm_start() const { return warm_start_; }
  void restore(const WarmStart& warm_start) { warm_start_ = warm_start; }
  void forget() { warm_start_ = {}; }

 private:
  void sweep();
  const Solution& solve_ordinary(const Eigen::Ref<const Eigen::MatrixXd>& gramian);
  template <class Scalar>
  void attempt(SimplexQp<Scalar>& simplex, const Eigen::Ref<const Eigen::MatrixXd>& gramian, bool proximally);
  void minimise_pair(const Eigen::Ref<const Eigen::MatrixXd>& gramian);

  Options options_;
  WarmStart warm_start_;
  Solution solution_;
  Eigen::VectorXd scratch_;
  Eigen::MatrixXd scaled_;
  SimplexQp<double> simplex_;
  SimplexQp<long double> extended_;
};

}  // namespace moblo::qp
