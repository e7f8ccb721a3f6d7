#pragma once

#include <Eigen/Core>

#include "moblo/qp/problem.hpp"

namespace moblo::qp {

/// Relative KKT residuals, in the sense of a backward error: if the answer solves exactly a problem whose Gramian
/// entries differ by at most epsilon |g_i| |g_j|, the residual is of order epsilon. Rounding alone gives ~1e-16; a
/// wrong answer gives ~1. Both functions look at the data and the answer only, never at a solver.
///
/// Min-norm, with a = G lambda, v = lambda'a, D = sum_j lambda_j |g_j|: the largest of
///   |sum lambda - 1|,  max_i -lambda_i                    simplex
///   max_i (v - a_i) / ((|g_i| + D) D)                     dual feasibility: a perturbation moves a_i by |g_i| D, v by
///   D^2 max_i lambda_i |a_i - v| / D^2                        complementarity
/// D^2 = 0, or underflowing, means that all the weight is on zero rows: the optimum.
double kkt_residual(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& weights);

struct ForumAnswer {
  Eigen::Ref<const Eigen::VectorXd> weights;
  double multiplier = 0;        ///< gamma
  double bound_multiplier = 0;  ///< mu_1 >= 0, dual variable of gamma >= lambda'pi; 0 for Multiplier::exact
  Eigen::Ref<const Eigen::VectorXd> limit_multipliers = no_values;  ///< kappa
};

/// FORUM's dual, with a_i = (G lambda)_i + gamma b_i - mu_1 b_i / (s + floor) (the constant part of pi moves into v),
/// D = sum_j lambda_j |g_j| + gamma |q| + phi / |q|, r = lambda'b + s gamma - phi, mu_0 = r - mu_1: the rows above and
///   -gamma |q| / D,  (lambda'pi - gamma) |q| / D          primal feasibility of the two gamma rows
///   -mu_0 / (|q| D),  -mu_1 / (|q| D)                     their multipliers
///   mu_0 gamma / D^2,  mu_1 (gamma - lambda'pi) / D^2     their complementarity
/// With Multiplier::exact the rows of mu_1 are absent.
///
/// With merits, a_i has the term -merits_i, and each unit the size of what an error epsilon in them moves: |merits_i| +
/// sum_j lambda_j |merits_j|. Limits count in G lambda, lambda'b and D as rows do. Their own KKT rows are those of a
/// second simplex, of the weights kappa_j |a_j| / C and of what they leave to a zero row (forum_pieces.hpp).
double kkt_residual(const ForumDual& problem, const ForumAnswer& answer);

/// The same without allocation; `scratch` has the size of the weights, limits included.
double kkt_residual(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& weights,
                    Eigen::Ref<Eigen::VectorXd> scratch);
double kkt_residual(const ForumDual& problem, const ForumAnswer& answer, Eigen::Ref<Eigen::VectorXd> scratch);

}  // namespace moblo::qp
