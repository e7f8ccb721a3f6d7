#pragma once

#include <Eigen/Core>

namespace moblo::qp {

/// How FORUM's multiplier is bounded from below, and the pi of nu(lambda) = max(lambda'pi, 0):
///   paper: gamma >= max(lambda'pi, 0), pi_i = (2 phi - b_i) / (s + floor)
///   exact: gamma >= 0,                 pi_i = (phi - b_i) / (s + floor)
enum class Multiplier { paper, exact };

inline const Eigen::VectorXd no_values;

/// The direction of descent d = -(sum_i lambda_i g_i + sum_j kappa_j a_j + gamma q) by its dual:
///
///   min over lambda in the simplex, kappa >= 0 with sum_j kappa_j |a_j| <= C, and gamma of
///   1/2 |sum_i lambda_i g_i + sum_j kappa_j a_j + gamma q|^2 - merits'lambda + allowed'kappa - gamma phi,
///
/// with the bounds above, where b_i = <q, g_i> and s = |q|^2; a_j counts in lambda'b like g_i does. With
/// Multiplier::exact d minimises max_i (merits_i + <g_i, d>) + 1/2 |d|^2 + C max_j (<a_j, d> - allowed_j)+ / |a_j|
/// subject to <q, d> <= -phi: merits pull towards the objectives that lie high, limits are kept where that costs less
/// than C. Without merits and limits it is FORUM's dual. Where |q| is zero, or so small that s underflows, q plays no
/// role: gamma = 0. A limit whose |a_j| is zero plays none either.
struct ForumDual {
  Eigen::Ref<const Eigen::MatrixXd> gramian;  ///< of (g_1..g_m, a_1..a_l, q); must outlive the problem
  double phi = 0;                             ///< >= 0; FORUM: rho/2 |q|^2
  Multiplier multiplier = Multiplier::paper;
  double floor = 0;                                      ///< >= 0, added to |q|^2 in pi; 1e-8 in the reference profile
  Eigen::Ref<const Eigen::VectorXd> merits = no_values;  ///< one for each g_i, or none; must outlive the problem
  Eigen::Ref<const Eigen::VectorXd> allowed =
      no_values;           ///< one for each a_j: how far <a_j, d> may rise; must outlive the problem
  double limit_bound = 0;  ///< C >= 0, a length

  Eigen::Index limits() const { return allowed.size(); }
  Eigen::Index objectives() const { return gramian.rows() - 1 - limits(); }
};

/// Length of row i, sqrt(G_ii); exactly 0 where G_ii has lost its digits to underflow.
double row_length(const Eigen::Ref<const Eigen::MatrixXd>& gramian, Eigen::Index i);

/// Whether a row that counts as zero has products beside longer rows. They say nothing of its own length, and an answer
/// must not depend on them.
bool has_lost_rows(const Eigen::Ref<const Eigen::MatrixXd>& gramian);
/// Zeros in place of those products.
Eigen::MatrixXd without_lost_rows(const Eigen::Ref<const Eigen::MatrixXd>& gramian);

/// 1/2 lambda'G lambda over the leading rows that have weights.
double half_square(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& weights);

/// Square, finite, and |G_ij| <= |g_i| |g_j| up to rounding. Does not factorise: an indefinite matrix may pass.
bool looks_like_gramian(const Eigen::Ref<const Eigen::MatrixXd>& gramian, Eigen::Index smallest_size);

bool is_valid(const ForumDual& problem);

/// nu(lambda) = max(lambda'pi, 0) for any weights of the rows beside q, e.g. smoothed ones; 0 where q plays no role.
/// For tiny |q| it may be huge while nu |q| stays moderate.
double constraint_multiplier(const ForumDual& problem, const Eigen::Ref<const Eigen::VectorXd>& weights);

}  // namespace moblo::qp
