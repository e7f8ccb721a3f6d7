#pragma once

#include "moblo/qp/problem.hpp"
#include "moblo/qp/simplex_qp.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// FORUM's dual with gamma eliminated. In units of a unit q (b = <q,g>/|q|, phi/|q|, gamma |q|) and with
/// beta = lambda'b, kappa = s/(s + floor), P = G - bb':
///
///   min over the simplex of 1/2 lambda'P lambda + psi(beta),
///   psi(beta) = beta^2/2 + min over feasible gamma of gamma^2/2 - gamma (phi - beta).
///
/// psi is convex and piecewise quadratic, psi'(beta) = curvature beta + offset:
///
///   piece     gamma               curvature      offset                    where
///   free      phi - beta          0              phi                       beta <= phi (exact),
///                                                                          beta <= phi (1-2kappa)/(1-kappa) (paper)
///   bounded   kappa (2phi-beta)   (1-kappa)^2    phi kappa (3 - 2 kappa)   between, paper only
///   inactive  0                   1              0                         beta >= phi (exact), >= 2 phi (paper)
///
/// In the paper's problem psi' jumps at beta = 2 phi, so the optimum may sit there: the kink, gamma = 0 = lambda'pi.
///
/// Limits are rows of a second simplex: a_j C/|a_j| with the weight kappa_j |a_j|/C, and a zero row that takes what the
/// bound on their sum leaves. They count in P and in beta as the other rows do.
template <class Scalar>
class ForumPieces {
 public:
  using Vector = typename SimplexQp<Scalar>::Vector;
  using Matrix = typename SimplexQp<Scalar>::Matrix;

  void reserve(int objectives, int limits);
  int objectives() const { return objectives_; }
  int limits() const { return limits_; }

  void load(const ForumDual& problem);

  /// Returns the number of faces visited.
  int minimise(WarmStart& warm_start, bool proximally);

  auto weights() const { return simplex_.weights().head(objectives_); }
  Vector limit_multipliers() const { return simplex_.weights().segment(objectives_, limits_).cwiseProduct(scales_); }
  double multiplier() const;        ///< gamma
  double bound_multiplier() const;  ///< mu_1

 private:
  enum Piece { free_piece, bounded_piece, inactive_piece, kink };

  int walk_pieces(WarmStart& warm_start);
  Piece first_piece(const WarmStart& warm_start) const;
  Piece left_of(Piece piece) const { return exact_ || piece == bounded_piece ? free_piece : bounded_piece; }
  Piece right_of(Piece piece) const { return exact_ || piece == bounded_piece ? inactive_piece : bounded_piece; }
  Scalar lower_end(Piece piece) const;
  Scalar upper_end(Piece piece) const;
  int minimise_piece(Piece piece, std::vector<int>& free_set);
  int minimise_at_kink(std::vector<int>& free_set);
  int minimise_simplex(std::vector<int>& free_set);
  void load_limits(const ForumDual& problem);
  Scalar beta() const { return simplex_.weights().dot(product_); }

  SimplexQp<Scalar> simplex_;
  int objectives_ = 0;
  int limits_ = 0;
  Matrix gramian_;
  Vector linear_;       // -merits, then what limits allow
  Vector scales_;       // C / |a_j|
  Vector product_;      // b
  Vector weight_rate_;  // d lambda / d force
  Scalar length_ = 0;   // |q|
  Scalar phi_ = 0;
  Scalar kappa_ = 1;
  Scalar kink_force_ = 0;  // kappa mu_1 / |q| at the kink
  bool kink_reached_ = false;
  Piece piece_ = free_piece;
  bool exact_ = false;
  bool proximally_ = false;
};

extern template class ForumPieces<double>;
extern template class ForumPieces<long double>;

}  // namespace moblo::qp
