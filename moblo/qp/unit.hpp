#pragma once

#include <Eigen/Core>

namespace moblo::qp {

/// Squares of lengths within 2^-ordinary and 2^ordinary leave room for the products that solvers and certificates form.
inline constexpr int ordinary_squares = 400;

/// An exponent e of a unit of length 2^e: in G 4^-e the squares of the shortest and of the longest row are about
/// reciprocal. 0 where all squares are ordinary, so that ordinary answers keep their bits. Zero rows do not count.
int unit_exponent(const Eigen::Ref<const Eigen::MatrixXd>& gramian, int ordinary = ordinary_squares);

}  // namespace moblo::qp
