#include "moblo/aggregation/aggregate.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weightings/unit_gramian.hpp"
#include "moblo/base/error.hpp"

namespace moblo::aggregation {
namespace {

/// Exponents of two: entries within it are left as they are; farther than `farthest` no double is moved.
constexpr int ordinary = 200, farthest = 1000;

/// Files are often written with six or seven digits.
constexpr double given_digits = 1e-6;

/// 2^-k, halfway between the shortest and the longest row, so that the squares of both are within range.
double common_factor(const TaskGradients& rows) {
  int low = farthest, high = -farthest;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double largest = rows.row(i).lpNorm<Eigen::Infinity>();
    if (largest == 0) continue;
    low = std::min(low, std::ilogb(largest));
    high = std::max(high, std::ilogb(largest));
  }
  if (low > high || (-ordinary <= low && high <= ordinary)) return 1;
  return std::ldexp(1.0, std::clamp(-(low + high) / 2, -farthest, farthest));
}

void refuse_misfits(const Weighting& weighting, const WeightingNeeds& needs, Eigen::Index rows, const TaskStep& step) {
  const auto tasks = weighting.tasks();
  if (tasks == 0) throw Error(ErrorKind::usage, "a weighting", "was not started", "Call start(number of tasks) first");
  if (rows != tasks * needs.samples) {
    throw Error(ErrorKind::data, fmt::format("{} gradients", rows),
                fmt::format("the weighting was started for {}", tasks * needs.samples),
                "Give one row per task and batch");
  }
  if (needs.losses && step.losses.size() != tasks) {
    throw Error(ErrorKind::data, fmt::format("{} losses", step.losses.size()), fmt::format("there are {} tasks", tasks),
                "Give one loss per task");
  }
}

void refuse_unless_finite_rows(const TaskGradients& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).allFinite()) continue;
    throw Error(ErrorKind::numeric, fmt::format("gradient {}", i + 1), "is not finite",
                "Look for a loss that overflows; a smaller step size helps");
  }
}

void refuse_unless_squares(const TaskGradients& rows, double factor, bool scale_free) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double own = rows.row(i).stableNorm(), length = factor * own;
    if (length == 0 ? own == 0 : length >= shortest_length && length <= longest_length) continue;
    throw Error(ErrorKind::numeric, fmt::format("gradient {} of length {:.1e}", i + 1, own),
                fmt::format("a product with it {}{}", length > 1 ? "overflows" : "underflows",
                            scale_free ? ", at any scale of all gradients" : ""),
                scale_free ? "Bring the lengths of the gradients nearer to one another"
                           : "Multiply all gradients by one number; the weights of this method depend on it");
  }
}

void refuse_unless_finite_answer(const TaskWeights& weights, bool finite_direction) {
  if (weights.shared.allFinite() && weights.heads.allFinite() && finite_direction) return;
  throw Error(ErrorKind::numeric, fmt::format("the direction of {} gradients", weights.shared.size()),
              "is not finite: a weight or a sum overflows", "Scale the gradients or the losses");
}

template <class... Values>
[[noreturn]] void refuse_gramian(const std::string& place, fmt::format_string<Values...> rule, Values... values) {
  throw Error(ErrorKind::data, place, fmt::format(rule, std::move(values)...),
              "A Gramian holds the inner products of gradients: J times its transpose");
}

void refuse_unless_square_of_length(double square, Eigen::Index i, const std::string& place) {
  if (square < 0) refuse_gramian(place, "row {}: {} in the diagonal, a square, is below 0", i + 1, square);
  if (square == 0 || square >= std::numeric_limits<double>::min()) return;
  refuse_gramian(place, "row {}: {} in the diagonal has lost its digits to underflow", i + 1, square);
}

void refuse_unless_product(const Eigen::MatrixXd& given, Eigen::Index i, Eigen::Index j, const std::string& place) {
  const double there = given(i, j), back = given(j, i), own = std::sqrt(given(i, i)), other = std::sqrt(given(j, j));
  if ((there != 0 || back != 0) && (own == 0 || other == 0)) {
    refuse_gramian(place, "row {}, column {}: {} beside a gradient of length 0", i + 1, j + 1, there);
  }
  if (there == back || std::abs(there / own - back / own) <= given_digits * other) return;
  refuse_gramian(place, "row {}, column {}: {}, but {} the other way round: it is symmetric", i + 1, j + 1, there,
                 back);
}

/// A refusal leaves the weighting as it was. Some overflow or find their lengths too far apart only after they have
/// averaged.
template <class Step>
auto unless_refused(Weighting& weighting, const Step& step) {
  const WeightingState before = weighting.save();
  try {
    return step();
  } catch (const Error&) {
    weighting.restore(before);
    throw;
  }
}

Aggregate aggregate_rows(Weighting& weighting, TaskGradients& rows, TaskStep& step) {
  const WeightingNeeds needs = weighting.needs();
  refuse_unless_finite_rows(rows);
  refuse_misfits(weighting, needs, rows.rows(), step);
  const double factor = needs.scale_free ? common_factor(rows) : 1;
  if (needs.gramian) refuse_unless_squares(rows, factor, needs.scale_free);
  if (needs.entries) {
    weighting.rewrite(step, GradientRows<double>{rows.data(), rows.rows(), rows.cols(), rows.cols()});
  }
  if (needs.gramian) {
    const TaskGradients scaled = factor * rows;
    step.gramian = scaled * scaled.transpose();
  }
  Aggregate out{.weights = weighting.weigh(step), .direction = {}};
  out.direction = rows.transpose() * out.weights.shared;
  refuse_unless_finite_answer(out.weights, out.direction.allFinite());
  return out;
}

GramianAggregate aggregate_products(Weighting& weighting, const Eigen::MatrixXd& gramian, TaskStep& step) {
  const auto [scaled, unit] = scaled_gramian("the Gramian", gramian);
  if (weighting.needs().gramian) step.gramian = gramian;
  GramianAggregate out{.weights = weighting.weigh(step), .products = {}};
  const Eigen::VectorXd& shared = out.weights.shared;
  out.products = unit * (unit * (scaled * shared));
  out.length = unit * std::sqrt(std::max(shared.dot(scaled * shared), 0.0));
  refuse_unless_finite_answer(out.weights, out.products.allFinite() && std::isfinite(out.length));
  return out;
}

}  // namespace

Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step) {
  return unless_refused(weighting, [&] { return aggregate_rows(weighting, rows, step); });
}

GramianAggregate aggregate_gramian(Weighting& weighting, const Eigen::MatrixXd& gramian, TaskStep step) {
  return unless_refused(weighting, [&] { return aggregate_products(weighting, gramian, step); });
}

Eigen::MatrixXd semidefinite_gramian(const Eigen::MatrixXd& given, const std::string& place) {
  const Eigen::Index size = given.rows();
  if (given.cols() != size) refuse_gramian(place, "{} rows and {} columns: it is square", size, given.cols());
  for (Eigen::Index i = 0; i < size; ++i) refuse_unless_square_of_length(given(i, i), i, place);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) refuse_unless_product(given, i, j, place);
  }
  const Eigen::MatrixXd symmetric = given / 2 + given.transpose() / 2;
  const UnitGramian unit(symmetric);
  if (unit.rows.empty()) return symmetric;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(unit.cosines, Eigen::EigenvaluesOnly);
  if (const double least = solver.eigenvalues()(0); !(least >= -given_digits)) {
    refuse_gramian(place, "no gradients have these products: an eigenvalue of their cosines is {:.2g}", least);
  }
  return symmetric;
}

}  // namespace moblo::aggregation
