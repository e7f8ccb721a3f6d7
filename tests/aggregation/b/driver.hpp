#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::weightings {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline const std::vector<std::string> names{"dwa",      "gls",  "gradnorm", "aligned", "dbmtl",  "stch",     "excess",
                                            "fairgrad", "famo", "modo",     "sdmgrad", "upgrad", "dualproj", "config"};

/// One step's input, as a training loop would have it: rows has samples x m gradients.
struct Given {
  std::int64_t k = 0, epoch_length = 1;
  Eigen::VectorXd losses, losses_after;
  RowMatrix rows;
};

struct Answer {
  TaskWeights weights;
  RowMatrix rows;             // as rewritten
  Eigen::VectorXd direction;  // sum_i shared_i row_i
};

inline std::unique_ptr<Weighting> make(const std::string& name, Eigen::Index tasks,
                                       const Json& options = Json::object()) {
  const WeightingInfo& info = find_weighting(name, "test");
  auto weighting = info.make(info.resolve(options, {}));
  weighting->start(tasks);
  return weighting;
}

inline Answer run_step(Weighting& weighting, const Given& given) {
  TaskStep step{given.k, given.epoch_length, given.losses, {}};
  Answer answer{{}, given.rows, {}};
  if (weighting.needs().entries) {
    weighting.rewrite(
        step, GradientRows<double>{answer.rows.data(), answer.rows.rows(), answer.rows.cols(), answer.rows.cols()});
  }
  if (weighting.needs().gramian) step.gramian = answer.rows * answer.rows.transpose();
  answer.weights = weighting.weigh(step);
  answer.direction = answer.rows.transpose() * answer.weights.shared;
  if (weighting.needs().losses_after) weighting.observe_after(given.losses_after);
  return answer;
}

enum class Family { random, orthogonal, parallel, opposed, zero_row, badly_scaled };
inline constexpr std::array families{Family::random,  Family::orthogonal, Family::parallel,
                                     Family::opposed, Family::zero_row,   Family::badly_scaled};
inline constexpr std::array sizes{1, 2, 3, 11, 40};

inline RowMatrix normal_rows(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  return RowMatrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

inline RowMatrix make_rows(Family family, int m, Rng& rng) {
  const int columns = m + 4;
  RowMatrix rows = normal_rows(m, columns, rng);
  if (family == Family::orthogonal) {
    rows = RowMatrix::Identity(m, columns);
    for (int i = 0; i < m; ++i) rows.row(i) *= 0.5 + rng.uniform();
  }
  for (int i = 1; i < m; ++i) {
    if (family == Family::parallel) rows.row(i) = (0.5 + rng.uniform()) * rows.row(0);
    if (family == Family::opposed && i % 2 == 1) rows.row(i) = -(0.5 + rng.uniform()) * rows.row(i - 1);
    if (family == Family::zero_row && i % 3 == 1) rows.row(i).setZero();
  }
  if (family == Family::badly_scaled) {
    for (int i = 0; i < m; ++i) rows.row(i) *= std::pow(10.0, -6 + 12 * rng.uniform());
  }
  return rows;
}

inline Eigen::VectorXd positive(Eigen::Index size, Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return 0.1 + 2 * rng.uniform(); });
}

/// Calls check(family, rows, rng) several times for each family and size.
template <class Check>
void for_each_family(std::uint64_t seed, Check check) {
  for (const Family family : families) {
    for (const int m : sizes) {
      Rng rng(derive_seed(seed, "families", static_cast<std::uint64_t>(100 * static_cast<int>(family) + m)));
      for (int repeat = 0; repeat < (m < 40 ? 10 : 3); ++repeat) {
        SCOPED_TRACE("family " + std::to_string(static_cast<int>(family)) + " m=" + std::to_string(m));
        check(family, make_rows(family, m, rng), rng);
      }
    }
  }
}

/// The k-th input of a run of `name`: gradients and losses that wander.
inline Given random_given(const Weighting& weighting, std::int64_t k, int m, Rng& rng) {
  Given given{k, 2, positive(m, rng), positive(m, rng), {}};
  given.rows = normal_rows(weighting.needs().samples * m, m + 4, rng);
  given.rows.array() += 0.5;
  return given;
}

/// Magnitude against which the rounding of J'w is measured.
inline double magnitude(const RowMatrix& rows, const Eigen::VectorXd& weights) {
  return rows.rowwise().norm().dot(weights.cwiseAbs());
}

inline ErrorKind kind_of_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::usage;
}

}  // namespace moblo::weightings
