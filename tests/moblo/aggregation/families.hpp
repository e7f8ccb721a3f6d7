#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "moblo/aggregation/aggregate.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::aggregation::testing {

/// Gradients as training meets them, and as it should not.
enum class Family { random, conflicted, orthogonal, parallel, opposed, zero_row, badly_scaled, duplicates };

inline constexpr std::array all_families{Family::random,  Family::conflicted, Family::orthogonal,   Family::parallel,
                                         Family::opposed, Family::zero_row,   Family::badly_scaled, Family::duplicates};
inline constexpr std::array all_sizes{1, 2, 3, 11, 40};

inline std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, all_families.size()> names{
      "random", "conflicted", "orthogonal", "parallel", "opposed", "zero_row", "badly_scaled", "duplicates"};
  return names[static_cast<std::size_t>(family)];
}

inline TaskGradients normal_rows(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  return TaskGradients::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

/// m rows in m + 7 columns: in general position unless the family says otherwise.
inline TaskGradients make_gradients(Family family, Eigen::Index m, Rng& rng) {
  TaskGradients rows = normal_rows(m, m + 7, rng);
  const Eigen::RowVectorXd common = normal_rows(1, m + 7, rng);
  switch (family) {
    case Family::random:
      break;
    case Family::conflicted:  // two camps
      for (Eigen::Index i = 0; i < m; ++i) rows.row(i) += (i % 2 == 0 ? 1.5 : -1.0) * common;
      break;
    case Family::orthogonal:
      for (Eigen::Index i = 0; i < m; ++i) rows.row(i) = rng.uniform() * Eigen::RowVectorXd::Unit(m + 7, i) * 3;
      break;
    case Family::parallel:
      for (Eigen::Index i = 0; i < m; ++i) rows.row(i) = (0.1 + rng.uniform()) * common;
      break;
    case Family::opposed:  // g, -g, 2g, -2g, ...
      for (Eigen::Index i = 0; i < m; ++i)
        rows.row(i) = (i % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(i / 2 + 1) * common;
      break;
    case Family::zero_row:
      rows.row(m / 2).setZero();
      break;
    case Family::badly_scaled:
      for (Eigen::Index i = 0; i < m; ++i) rows.row(i) *= std::pow(10.0, 12 * rng.uniform() - 6);
      break;
    case Family::duplicates:
      for (Eigen::Index i = 1; i < m; i += 2) rows.row(i) = rows.row(i - 1);
      break;
  }
  return rows;
}

/// check(family, rows) on every family and size but those left out.
template <class Check>
void for_each_case(const Check& check, std::uint64_t seed = 7, int cases = 5) {
  for (const Family family : all_families) {
    for (const int m : all_sizes) {
      Rng rng(derive_seed(seed, name_of(family), static_cast<std::uint64_t>(m)));
      for (int k = 0; k < cases; ++k) check(family, make_gradients(family, m, rng));
    }
  }
}

}  // namespace moblo::aggregation::testing
