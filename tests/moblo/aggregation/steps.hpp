#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "tests/moblo/aggregation/families.hpp"

namespace moblo::aggregation::testing {

/// A weighting as a method would use it: step after step.
class Steps {
 public:
  Steps(const std::string& name, Eigen::Index tasks, const Json& options = Json::object()) {
    const auto& info = find_weighting(name, "test");
    weighting_ = info.make(info.resolve(options, {}));
    weighting_->start(tasks);
  }

  Aggregate next(const TaskGradients& rows, const Eigen::VectorXd& losses) {
    return next(rows, losses, losses.cwiseProduct(Eigen::VectorXd::LinSpaced(losses.size(), 0.9, 0.8)));
  }
  Aggregate next(const TaskGradients& rows, const Eigen::VectorXd& losses, const Eigen::VectorXd& losses_after) {
    TaskStep step{.k = k_, .epoch_length = 2, .losses = losses, .gramian = {}};
    Aggregate out = aggregate(*weighting_, rows, step);
    if (weighting_->needs().losses_after) weighting_->observe_after(losses_after);
    ++k_;
    return out;
  }
  Aggregate next(const TaskGradients& rows) { return next(rows, Eigen::VectorXd::Ones(weighting_->tasks())); }

  Weighting& weighting() { return *weighting_; }
  std::int64_t k() const { return k_; }
  void at(std::int64_t k) { k_ = k; }

 private:
  std::unique_ptr<Weighting> weighting_;
  std::int64_t k_ = 0;
};

/// The first step on these gradients.
inline Aggregate first_step(const std::string& name, const TaskGradients& rows, const Json& options = Json::object()) {
  return Steps(name, rows.rows(), options).next(rows);
}

/// <g_i, d> / |g_i|, in units of the longest gradient.
inline Eigen::VectorXd projections(const TaskGradients& rows, const Eigen::VectorXd& direction) {
  Eigen::VectorXd all = rows * direction;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) all(i) /= std::max(rows.row(i).norm(), 1e-300);
  return all;
}

inline double longest(const TaskGradients& rows) {
  return rows.rowwise().norm().maxCoeff();
}

/// |a - b| within `tolerance` of the larger.
inline void expect_same(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LE((a - b).norm(), tolerance * std::max(a.norm(), b.norm())) << a.transpose() << "\nand\n" << b.transpose();
}

inline bool is_numeric(const Error& error) {
  return error.kind() == ErrorKind::numeric && !std::string(error.what()).empty();
}

}  // namespace moblo::aggregation::testing
