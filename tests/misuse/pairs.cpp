// Methods on problems that they do not suit: `moblo run` refuses them, train must too.
#include <fmt/format.h>

#include "moblo/methods/nsga2.hpp"
#include "moblo/methods/registry.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::pairs {
namespace {

Outcome trained_implicitly(HypergradientMode mode, TwoTargets& problem) {
  MomlOptions options;
  options.inner_steps = 20;
  options.inner_step_size = 0.3;
  options.hypergradient = mode;
  Moml moml(options);
  return trained(problem, moml);
}

MISUSE("pairs: moml with cg where the lower loss is not known to be strongly convex", refused("strongly convex"), {
  TwoTargets problem;
  problem.given_traits = {};
  return trained_implicitly(HypergradientMode::cg, problem);
});

MISUSE("pairs: moml with neumann where the lower loss is not known to be strongly convex", refused("strongly convex"), {
  TwoTargets problem;
  problem.given_traits = {};
  return trained_implicitly(HypergradientMode::neumann, problem);
});

MISUSE("pairs: moml with cg where the traits claim a strongly convex lower loss, and it is concave",
       status("positive definite"), {
         TwoTargets problem;
         problem.lower_function = [&] { return -problem.gap() + problem.w.pow(4).sum() * 1e-3; };
         return trained_implicitly(HypergradientMode::cg, problem);
       });

MISUSE("pairs: forum on lower batches where the levels do not share their data", refused("do not share their data"), {
  TwoTargets problem;
  problem.given_traits.interchangeable_batches = false;
  auto options = forum_options();
  options.upper_data = UpperData::lower;
  Forum forum(options);
  return trained(problem, forum);
});

MISUSE("pairs: forum's reference profile where the levels do not share their data", refused("do not share their data"),
       {
         TwoTargets problem;
         problem.given_traits.interchangeable_batches = false;
         Forum forum({.profile = ForumProfile::reference, .inner_steps = 20, .inner_step_size = 0.3});
         return trained(problem, forum);
       });

Outcome weighted(const char* weighting, const Json& options = Json::object()) {
  TwoTargets problem;
  const auto method = make_method(weighting, options);
  return trained(problem, *method);
}

MISUSE("pairs: mgda on a problem that is no set of tasks", refused("no set of tasks"), { return weighted("mgda"); });
MISUSE("pairs: ew on a problem that is no set of tasks", refused("no set of tasks"), { return weighted("ew"); });
MISUSE("pairs: famo on a problem that is no set of tasks", refused("no set of tasks"), { return weighted("famo"); });

MISUSE("pairs: stl, a network per task, on tasks that share one network", refused("network"), {
  TwoTargets problem;
  problem.given_traits.tasks = true;
  const auto method = make_method("stl", Json::object());
  return trained(problem, *method);
});

MISUSE("pairs: mgda on gradients by a representation that the problem does not have", refused("representation"), {
  TwoTargets problem;
  problem.given_traits.tasks = true;
  const auto method = make_method("mgda", {{"gradients", "representation"}});
  return trained(problem, *method);
});

MISUSE("pairs: nsga2 on one objective", refused("objective") | right(), {
  TwoTargets problem;
  problem.upper_function = [&] { return std::vector{problem.both()[0] + problem.both()[1]}; };
  Nsga2Options options;
  options.inner_steps = 40;
  options.population = 20;
  Nsga2 nsga2(options);
  const auto summary = train(problem, nsga2, {.iterations = 30});
  return judged(summary, near(problem.w, 0.5, 0.3), fmt::format("w = {}", text_of(problem.w)));
});

MISUSE("pairs: bvfim where the lower loss falls below -C", status("barrier"), {
  TwoTargets problem;
  problem.lower_function = [&] { return problem.gap() - 10; };
  Bvfim bvfim;
  return trained(problem, bvfim);
});

MISUSE("pairs: forum where the lower loss has no lower bound", status("non_finite"), {
  TwoTargets problem;
  problem.lower_function = [&] { return -problem.gap(); };
  return trained(problem);
});

}  // namespace
}  // namespace moblo::misuse::pairs
