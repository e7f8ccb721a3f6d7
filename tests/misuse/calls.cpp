// Functions besides train: make_method, check_gradients, solve_lower, aggregate.
#include <fmt/format.h>

#include <limits>

#include "moblo/aggregation/aggregate.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/gradients/lower_solve.hpp"
#include "moblo/methods/registry.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::calls {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// -- make_method ----------------------------------------------------------------------------------------------------

Outcome made(const std::string& name, const Json& options) {
  const auto method = make_method(name, options);
  TwoTargets problem;
  problem.given_traits.tasks = true;
  return trained(problem, *method);
}

MISUSE("make_method: an unknown name", refused("forumm", "forum"), { return made("forumm", Json::object()); });
MISUSE("make_method: an empty name", refused("method"), { return made("", Json::object()); });
MISUSE("make_method: a name in capitals", refused("FORUM", "forum"), { return made("FORUM", Json::object()); });
MISUSE("make_method: {} as options, which is null and no table", right(), { return made("forum", {}); });
MISUSE("make_method: a string for a number", refused("rho", "a number is needed"), {
  return made("forum", {{"rho", "0.5"}});
});
MISUSE("make_method: a number for a choice", refused("profile", "string"), { return made("forum", {{"profile", 1}}); });
MISUSE("make_method: a fraction for a whole number", refused("inner_steps", "whole number"), {
  return made("forum", {{"inner_steps", 2.5}});
});
MISUSE("make_method: a value out of range", refused("rho", "is out of range"), {
  return made("forum", {{"rho", -5}});
});
MISUSE("make_method: an unknown option", refused("inner_step", "inner_steps"), {
  return made("forum", {{"inner_step", 5}});
});
MISUSE("make_method: a list as options", refused("table"), { return made("forum", Json::array({1, 2})); });
MISUSE("make_method: options of another method", refused("phi_scale"), { return made("forum", {{"phi_scale", 0.5}}); });
MISUSE("make_method: a weighting with an unknown option", refused("normalize", "normalise"), {
  return made("mgda", {{"normalize", "l2"}});
});
MISUSE("make_method: a weighting with a string as options", refused("table"), { return made("mgda", "l2"); });

// -- check_gradients ------------------------------------------------------------------------------------------------

/// A problem whose F_1 has a wrong gradient must never pass.
Outcome wrong_gradient_checked(const GradientCheckOptions& options) {
  TwoTargets problem;
  problem.upper_function = [&] {
    const auto& w = problem.w;
    return std::vector{w.square().sum() - w.square().sum().detach() + (w * 3).sum().detach()};
  };
  const auto report = check_gradients(problem, options);
  return completed(!report.passed, fmt::format("the gradient is wrong; passed = {}, {} compared, largest error {:.2g}",
                                               report.passed, report.compared, report.largest_error));
}

MISUSE("check_gradients: a wrong gradient", right(), { return wrong_gradient_checked({}); });
MISUSE("check_gradients: coordinates = 0, nothing is compared", refused("coordinates"),
       { return wrong_gradient_checked({.coordinates = 0}); });
MISUSE("check_gradients: coordinates = -1", refused("coordinates"),
       { return wrong_gradient_checked({.coordinates = -1}); });
MISUSE("check_gradients: tolerance = NaN", refused("tolerance"),
       { return wrong_gradient_checked({.tolerance = nan}); });
MISUSE("check_gradients: tolerance = infinity", refused("tolerance"),
       { return wrong_gradient_checked({.tolerance = std::numeric_limits<double>::infinity()}); });
MISUSE("check_gradients: tolerance = -1", refused("tolerance"), { return wrong_gradient_checked({.tolerance = -1}); });
MISUSE("check_gradients: a problem in single precision", right(), {
  TwoTargets problem(TwoTargets::filled, torch::kFloat32);
  return completed(check_gradients(problem).passed, "checked");
});
MISUSE("check_gradients: under NoGradGuard", refused("NoGradGuard") | right(), {
  const torch::NoGradGuard no_grad;
  TwoTargets problem;
  return completed(check_gradients(problem).passed, "checked");
});
MISUSE("check_gradients: a loss throws where it is evaluated beside the point", refused("my loss"), {
  TwoTargets problem;
  problem.upper_function = [&] {
    if (problem.upper_calls > 2) throw std::runtime_error("my loss");
    return problem.both();
  };
  return completed(check_gradients(problem).passed, "checked");
});

// -- solve_lower ----------------------------------------------------------------------------------------------------

InnerSolve descent(std::int64_t steps, double step_size) {
  InnerSolve inner;
  inner.steps = steps;
  inner.step_size = step_size;
  return inner;
}
InnerSolve descent_from(const torch::Tensor& start) {
  auto inner = descent(100, 0.3);
  inner.from_current = false;
  inner.start = start;
  return inner;
}

Outcome solved(const InnerSolve& inner) {
  TwoTargets problem;
  {
    const torch::NoGradGuard no_grad;
    problem.w.fill_(5);
  }
  const auto reached = solve_lower(problem, inner);
  return completed(near(reached, 2), fmt::format("w = (2, 2) is right, reached {}", text_of(reached)));
}

MISUSE("solve_lower: nothing is wrong", right(), { return solved(descent(100, 0.3)); });
MISUSE("solve_lower: steps = -5", refused("steps"), { return solved(descent(-5, 0.3)); });
MISUSE("solve_lower: step_size = -0.3", refused("step_size"), { return solved(descent(100, -0.3)); });
MISUSE("solve_lower: step_size = NaN", refused("step_size"), { return solved(descent(100, nan)); });
MISUSE("solve_lower: from a start that is not given", refused("start"), { return solved(descent_from({})); });
MISUSE("solve_lower: from a start of another shape", refused("start"),
       { return solved(descent_from(torch::zeros({5}, torch::kFloat64))); });
MISUSE("solve_lower: from a start of another type", refused("start"),
       { return solved(descent_from(torch::zeros({2}))); });

// -- aggregate ------------------------------------------------------------------------------------------------------

/// Two gradients, (1, 0) and (0, 1), with losses of 1.
TaskGradients rows(Eigen::Index count = 2) {
  return TaskGradients::Identity(count, 2);
}
TaskStep losses_of(Eigen::Index count) {
  return {.k = 0, .epoch_length = 1, .losses = Eigen::VectorXd::Ones(count), .gramian = {}};
}

Outcome aggregated(const std::string& name, Eigen::Index started_for, const TaskGradients& gradients,
                   const TaskStep& step) {
  const auto& info = find_weighting(name, "test");
  const auto weighting = info.make(info.resolve(Json::object(), {}));
  if (started_for > 0) weighting->start(started_for);
  const auto found = aggregate(*weighting, gradients, step);
  const bool right = found.direction.size() == 2 && found.direction.allFinite() && found.direction.minCoeff() > 0;
  std::string facts;
  for (const double x : found.direction) facts += fmt::format("{:.3g} ", x);
  return completed(right, "direction " + facts);
}

[[maybe_unused]] const bool aggregations = [] {
  for (const std::string name : {"ew", "mgda", "pcgrad", "cagrad", "famo", "dwa"}) {
    add_case("aggregate, " + name + ": nothing is wrong", right(),
             [=] { return aggregated(name, 2, rows(), losses_of(2)); });
    add_case("aggregate, " + name + ": NaN in the gradients", refused("is not finite"), [=] {
      auto gradients = rows();
      gradients(1, 0) = nan;
      return aggregated(name, 2, gradients, losses_of(2));
    });
    add_case("aggregate, " + name + ": not started", refused("start"),
             [=] { return aggregated(name, 0, rows(), losses_of(2)); });
    add_case("aggregate, " + name + ": 3 rows, started for 2", refused("3", "2"),
             [=] { return aggregated(name, 2, rows(3), losses_of(3)); });
    add_case("aggregate, " + name + ": no rows", refused("0", "2"),
             [=] { return aggregated(name, 2, rows(0), losses_of(2)); });
    add_case("aggregate, " + name + ": no losses", refused("losses") | right(),
             [=] { return aggregated(name, 2, rows(), {}); });
  }
  return true;
}();

}  // namespace
}  // namespace moblo::misuse::calls
