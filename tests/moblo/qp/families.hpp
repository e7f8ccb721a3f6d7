#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>

#include "moblo/qp/problem.hpp"

namespace moblo::qp::testing {

/// The one tolerance table of the qp tests.
struct Tolerances {
  double kkt = 1e-10;          ///< what the solvers certify
  double kkt_typical = 1e-12;  ///< what they reach in all families
  double simplex = 1e-13;      ///< sum and sign of the weights
  double relative = 1e-9;      ///< well-posed quantities computed in two ways, relative to the data
  double direction = 1e-6;     ///< |d_1 - d_2|: the square root of a residual
  double golden = 1e-7;        ///< against an interior-point solver
  double golden_objective = 1e-9;
  double perturbation = 1e-3;      ///< size of a deliberate error ...
  double visible_residual = 1e-7;  ///< ... and the residual that must show it: a thousand times what is certified
};
inline constexpr Tolerances tolerance{};

enum class Family {
  random,
  rank_deficient,
  zero_rows,
  collinear,
  conflicting,
  badly_scaled,
  zero_constraint,
  tiny_constraint,
  orthogonal_constraint,
};

inline constexpr std::array all_families{
    Family::random,          Family::rank_deficient,  Family::zero_rows,
    Family::collinear,       Family::conflicting,     Family::badly_scaled,
    Family::zero_constraint, Family::tiny_constraint, Family::orthogonal_constraint,
};

inline std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, all_families.size()> names{
      "random",          "rank_deficient",  "zero_rows",
      "collinear",       "conflicting",     "badly_scaled",
      "zero_constraint", "tiny_constraint", "orthogonal_constraint"};
  return names[static_cast<std::size_t>(family)];
}

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline int uniform_index(Random& random, int count) {
  return std::uniform_int_distribution<int>(0, count - 1)(random);
}

inline Eigen::MatrixXd normal_matrix(Random& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// Rows g_1..g_m, q.
inline Eigen::MatrixXd make_rows(Family family, int m, Random& random) {
  const int columns =
      family == Family::rank_deficient ? 1 + uniform_index(random, (m + 1) / 2 + 1) : m + 1 + uniform_index(random, 4);
  Eigen::MatrixXd rows = normal_matrix(random, m + 1, columns);
  if (uniform_index(random, 2) == 0) {
    // A common component: without it the hull of many random rows is nearly equidistant from the origin.
    const Eigen::RowVectorXd common = normal_matrix(random, 1, columns);
    rows.topRows(m).rowwise() += uniform(random, -2, 2) * common;
  }
  for (int i = 0; i < m; ++i) {
    const int other = uniform_index(random, m);
    switch (family) {
      case Family::zero_rows:
        if (uniform_index(random, 4) == 0) rows.row(i).setZero();
        break;
      case Family::collinear:
        if (uniform_index(random, 2) == 0) rows.row(i) = uniform(random, 0.1, 2) * rows.row(other);
        break;
      case Family::conflicting:
        if (uniform_index(random, 2) == 0)
          rows.row(i) = -std::ldexp(1.0, uniform_index(random, 5) - 2) * rows.row(other);
        break;
      case Family::orthogonal_constraint:
        rows.row(i) -= rows.row(i).dot(rows.row(m)) / rows.row(m).squaredNorm() * rows.row(m);
        break;
      default:
        break;
    }
  }
  if (family == Family::badly_scaled) {
    for (int i = 0; i <= m; ++i) rows.row(i) *= std::pow(10.0, uniform(random, -10, 15));
  }
  if (family == Family::zero_constraint) rows.row(m).setZero();
  if (family == Family::tiny_constraint) rows.row(m) *= std::pow(10.0, uniform(random, -140, -8));
  return rows;
}

/// Calls check(family, m, rows, random) for `cases_small` cases of each family and m <= 11, fewer for larger m.
template <class Check>
void for_each_case(std::uint64_t seed, int cases_small, Check check) {
  for (const Family family : all_families) {
    for (const int m : {1, 2, 3, 5, 11, 40, 128}) {
      const int cases = m <= 11 ? cases_small : std::max(2, cases_small / (m == 40 ? 10 : 80));
      Random random(seed + 1000 * static_cast<std::uint64_t>(family) + static_cast<std::uint64_t>(m));
      for (int k = 0; k < cases; ++k) check(family, m, make_rows(family, m, random), random);
    }
  }
}

inline Eigen::MatrixXd gramian_of(const Eigen::MatrixXd& rows) {
  return rows * rows.transpose();
}

/// FORUM's phi for a given rho.
inline double phi_of(const Eigen::MatrixXd& gramian, double rho) {
  const Eigen::Index last = gramian.rows() - 1;
  return rho / 2 * gramian(last, last);
}

/// sum_i lambda_i g_i + gamma q, from the rows themselves: independent of the rounding of a Gramian.
inline Eigen::VectorXd combine(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights, double gamma) {
  const Eigen::Index m = weights.size();
  return rows.topRows(m).transpose() * weights + gamma * rows.row(m).transpose();
}

/// D of residual.hpp: the magnitude against which rounding is measured.
inline double magnitude(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights, double gamma) {
  const Eigen::Index m = weights.size();
  return rows.topRows(m).rowwise().norm().dot(weights) + gamma * rows.row(m).norm();
}

}  // namespace moblo::qp::testing
