#pragma once

#include <functional>

#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {

/// One step's input where a test sets all of it.
struct Given {
  std::int64_t k = 0, epoch_length = 1;
  Eigen::VectorXd losses, losses_after;
  TaskGradients rows;
};

inline std::unique_ptr<Weighting> make(const std::string& name, Eigen::Index tasks,
                                       const Json& options = Json::object()) {
  const WeightingInfo& info = find_weighting(name, "test");
  auto weighting = info.make(info.resolve(options, {}));
  weighting->start(tasks);
  return weighting;
}

inline Aggregate run_step(Weighting& weighting, const Given& given) {
  Aggregate answer = aggregate(weighting, given.rows, {given.k, given.epoch_length, given.losses, {}});
  if (weighting.needs().losses_after) weighting.observe_after(given.losses_after);
  return answer;
}

inline Eigen::VectorXd positive(Eigen::Index size, Rng& rng) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return 0.1 + 2 * rng.uniform(); });
}

/// Gradients and losses that wander, for as many batches as the weighting takes.
inline Given random_given(const Weighting& weighting, std::int64_t k, int m, Rng& rng) {
  Given given{k, 2, positive(m, rng), positive(m, rng), normal_rows(weighting.needs().samples * m, m + 4, rng)};
  given.rows.array() += 0.5;
  return given;
}

/// check(family, rows, rng) on every family and size.
template <class Check>
void for_each_family(std::uint64_t seed, Check check) {
  Rng rng(seed);
  for_each_case(
      [&](Family family, const TaskGradients& rows) {
        SCOPED_TRACE(std::string(name_of(family)) + " m=" + std::to_string(rows.rows()));
        check(family, rows, rng);
      },
      seed);
}

/// Magnitude against which the rounding of J'w is measured.
inline double magnitude(const TaskGradients& rows, const Eigen::VectorXd& weights) {
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

}  // namespace moblo::aggregation::testing
