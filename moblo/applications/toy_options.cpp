#include "moblo/applications/toy_options.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo {
namespace {

const char* const dtype_help = "single or double precision";

void refuse_unless_pair(const std::vector<double>& omega, const OptionPlace& place) {
  if (omega.size() == 2) return;
  throw Error(ErrorKind::config, fmt::format("{} with {} numbers", place.child("omega").text(), omega.size()),
              "omega has two coordinates", "Write for example omega = [0, 3]");
}

}  // namespace

const OptionTable<SyntheticOptions>& SyntheticOptions::table() {
  static const auto table = [] {
    using O = SyntheticOptions;
    OptionTable<O> t;
    t.add("alpha", &O::alpha, "alpha_0, the start");
    t.add("omega", &O::omega, "omega_0, the start");
    t.add("dtype", &O::dtype, dtype_help);
    return t;
  }();
  return table;
}

void SyntheticOptions::refuse_contradictions(const OptionPlace& place) const {
  refuse_unless_pair(omega, place);
}

const OptionTable<QuadraticOptions>& QuadraticOptions::table() {
  static const auto table = [] {
    using O = QuadraticOptions;
    OptionTable<O> t;
    t.add("n", &O::n, "dimension of alpha", within(1, 10000));
    t.add("p", &O::p, "dimension of omega", within(1, 10000));
    t.add("m", &O::m, "number of objectives", within(1, 1000));
    t.add("condition", &O::condition, "condition number of the lower Hessian, whose largest eigenvalue is 1",
          at_least(1));
    t.add("upper_curvature", &O::upper_curvature, "weight of alpha's own term in F_i", at_least(0));
    t.add("dtype", &O::dtype, dtype_help);
    return t;
  }();
  return table;
}

const OptionTable<DoubleWellOptions>& DoubleWellOptions::table() {
  static const auto table = [] {
    using O = DoubleWellOptions;
    OptionTable<O> t;
    // Above 4 / (3 sqrt 3) = 0.7698 the three intervals of stationary points merge.
    t.add("tilt", &O::tilt, "how far the objectives disagree", {0, 0.76, true, false});
    t.add("alpha", &O::alpha, "alpha_0, the start");
    t.add("omega", &O::omega, "omega_0, the start");
    t.add("dtype", &O::dtype, dtype_help);
    return t;
  }();
  return table;
}

void DoubleWellOptions::refuse_contradictions(const OptionPlace& place) const {
  refuse_unless_pair(omega, place);
}

const OptionTable<NoisyRegressionOptions>& NoisyRegressionOptions::table() {
  static const auto table = [] {
    using O = NoisyRegressionOptions;
    OptionTable<O> t;
    t.add("tasks", &O::tasks, "number of regressions, one objective each", within(1, 100));
    t.add("samples", &O::samples, "training samples a task", at_least(1));
    t.add("trusted", &O::trusted, "clean validation samples a task", at_least(1));
    t.add("features", &O::features, "inputs", at_least(1));
    t.add("hidden", &O::hidden, "width of the shared hidden layer", at_least(1));
    t.add("batch", &O::batch, "samples a task in a batch", at_least(1));
    t.add("spoilt", &O::spoilt, "share of the training targets that are wrong", within(0, 1));
    t.add("dtype", &O::dtype, dtype_help);
    return t;
  }();
  return table;
}

ProblemInfo synthetic_info() {
  return make_problem_info<SyntheticOptions>(
      "synthetic", "the paper's synthetic problem (Appendix C): two objectives, alpha in R, omega in R^2",
      {.known_solution_set = true, .strongly_convex_lower = true});
}

ProblemInfo quadratic_info() {
  return make_problem_info<QuadraticOptions>(
      "quadratic", "quadratics of any size, number of objectives and conditioning, with closed-form answers",
      {.known_solution_set = true, .strongly_convex_lower = true});
}

ProblemInfo double_well_info() {
  return make_problem_info<DoubleWellOptions>("double_well",
                                              "non-convex objectives with three known intervals of stationary points",
                                              {.known_solution_set = true, .strongly_convex_lower = true});
}

ProblemInfo noisy_regression_info() {
  return make_problem_info<NoisyRegressionOptions>(
      "noisy_regression", "hyper-cleaning in miniature: one weight a training sample, mini-batches, a small network",
      {.interchangeable_batches = false});
}

}  // namespace moblo
