#pragma once

#include <Eigen/Core>
#include <string>

namespace moblo::aggregation {

/// Lengths within which all products of gradients have all their digits: beyond, they overflow or underflow.
inline constexpr double shortest_length = 0x1p-480, longest_length = 0x1p+511;

/// A Gramian in a unit of length in which squares of its entries' sums neither overflow nor vanish.
struct ScaledGramian {
  Eigen::MatrixXd values;  ///< G / unit^2; a row whose square has lost its digits to underflow is zero
  double unit = 1;         ///< a power of two, so that the division is exact
};

/// 1 is the unit where all squares are within 2^-ordinary and 2^ordinary, else one halfway between the shortest and the
/// longest row. Throws Error(numeric) in the name of `who` where it is no finite Gramian, or lengths are too far apart.
ScaledGramian scaled_gramian(const std::string& who, const Eigen::MatrixXd& gramian, int ordinary = 400);

}  // namespace moblo::aggregation
