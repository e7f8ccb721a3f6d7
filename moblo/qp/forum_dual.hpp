#pragma once

#include "moblo/qp/forum_pieces.hpp"
#include "moblo/qp/problem.hpp"
#include "moblo/qp/residual.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// Solves ForumDual (problem.hpp). Allocates only when the size changes, or the first time that extended precision is
/// needed.
class ForumSolver {
 public:
  explicit ForumSolver(Options options = {}) : options_(options) {}

  /// Warm-started from the previous certified solve. The reference is valid until the next call.
  const Solution& solve(const ForumDual& problem);

  const WarmStart& warm_start() const { return warm_start_; }
  void restore(const WarmStart& warm_start) { warm_start_ = warm_start; }
  void forget() { warm_start_ = {}; }

 private:
  const Solution& solve_counted(const ForumDual& problem);
  template <class Scalar>
  void attempt(ForumPieces<Scalar>& pieces, const ForumDual& problem, bool proximally);
  double objective(const ForumDual& problem);

  Options options_;
  WarmStart warm_start_;
  Solution solution_;
  Eigen::VectorXd scratch_;
  ForumPieces<double> pieces_;
  ForumPieces<long double> extended_;
};

}  // namespace moblo::qp
