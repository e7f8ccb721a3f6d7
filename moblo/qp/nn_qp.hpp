#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/qp/face_factor.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// min over v >= u of 1/2 v'G v. With G = JJ', J'v is the projection of J'u onto the dual cone of the rows,
/// {d : <g_i, d> >= 0}: the nearest direction that conflicts with no g_i.
///
/// In units of unit rows, C = the cosines, w_i = |g_i| u_i and y_i = |g_i| (v_i - u_i), it is
///   min over y >= 0 of 1/2 y'C y + (C w)'y,
/// solved by the active-set method of Lawson and Hanson. A zero row takes no part: v_i = u_i. A row that depends on the
/// free ones cannot enter, and need not, for its slope is zero then. Where rounding makes the two disagree beyond the
/// tolerance, the fallback adds delta/2 sum_i |g_i|^2 v_i^2, which moves the residual by at most delta.
class NnQpSolver {
 public:
  explicit NnQpSolver(Options options = {}) : options_(options) {}

  /// Carries nothing from one solve to the next. The reference is valid until the next call.
  const Solution& solve(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& u);

 private:
  void load(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& u, double delta);
  void minimise();
  int steepest();
  bool append(int j);
  void descend();
  void remove_vanished();
  void read_weights(const Eigen::Ref<const Eigen::VectorXd>& u);

  Options options_;
  Solution solution_;
  FaceFactor<double> factor_;
  Eigen::MatrixXd cosines_;  // C + delta I
  Eigen::VectorXd lengths_, start_, linear_, excess_, target_;
  std::vector<int> members_;    // those with y > 0, in the order of the factor
  std::vector<char> kept_out_;  // members, zero rows, and rows refused since the last change of members
};

/// Backward error as in residual.hpp. With a = G v and D = sum_j (|v_j| + |u_j|) |g_j|, the largest of
///   (u_i - v_i) |g_i| / D                   primal feasibility
///   -a_i / (|g_i| D)                        no conflict: a perturbation of G moves a_i by |g_i| D
///   (v_i - u_i) |g_i| |a_i| / (|g_i| D^2)   complementarity
double nn_kkt_residual(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& u,
                       const Eigen::Ref<const Eigen::VectorXd>& weights);

}  // namespace moblo::qp
