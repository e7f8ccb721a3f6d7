#include "moblo/conformance/conformance.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "moblo/methods/registry.hpp"

namespace moblo::conformance {
namespace {

bool has_known_front(const ConformanceCase& entry) {
  return entry.problem.starts_with("front_");
}

/// Of the lower level, which decides what the settings have to be.
bool is_quadratic(const ConformanceCase& entry) {
  return entry.problem == "quadratic" || has_known_front(entry);
}

/// Between them the cases see every mode: through the steps where they are few or cheap, implicitly elsewhere.
const char* hypergradient_for(const ConformanceCase& entry) {
  if (!is_quadratic(entry)) return entry.problem == "synthetic" ? "reverse" : "checkpointed";
  return entry.name == "quadratic, one objective" ? "neumann" : "cg";
}

/// Of the methods that take few steps or one from where they were, at steps near 1/L of the lower loss.
Json settings_of_later(const std::string& method, const ConformanceCase& entry) {
  const bool synthetic = entry.problem == "synthetic";
  const double eta = synthetic ? 0.25 : 0.9;
  if (method == "gmoba") return {{"system_step_size", eta}};
  if (method == "forum_single") return {{"inner_step_size", eta}};
  if (method == "wc_penalty") {
    return {{"penalty", entry.problem == "double_well" ? 10 : 30},
            {"penalty_exponent", is_quadratic(entry) ? 0.3 : 0},
            {"gamma", 0.1},
            {"gamma_exponent", 0.3}};
  }
  Json settings{{"inner_steps", 5}, {"inner_step_size", eta}};
  if (method == "f2sa") {
    settings["penalty"] = synthetic ? 1000 : 300;
    settings["penalty_exponent"] = 0;
  } else {
    settings["hypergradient"] = hypergradient_for(entry);
    settings["solver_steps"] = 30;
    settings["gamma"] = 0.05;
    settings["gamma_exponent"] = 0.3;
  }
  return settings;
}

bool is_later(const std::string& method) {
  for (const auto* name : {"f2sa", "gmoba", "morbit", "wc_penalty", "forum_single"}) {
    if (method == name) return true;
  }
  return false;
}

Json settings_of(const std::string& method, const ConformanceCase& entry) {
  if (is_later(method)) return settings_of_later(method, entry);
  const bool synthetic = entry.problem == "synthetic";
  Json settings{{"inner_steps", entry.inner_steps}, {"inner_step_size", entry.inner_step_size}};
  if (method == "forum") settings["rho"] = synthetic ? 0.3 : 0.5;
  if (method == "moml" || method == "wc_mhgd" || method == "moco" || method == "autolambda") {
    settings["hypergradient"] = hypergradient_for(entry);
    settings["solver_steps"] = 30;
    if (is_quadratic(entry))
      settings["inner_steps"] = 5;  // from omega_k, which is nearly solved; implicit modes ask no more
  }
  if (method == "bvfim") {
    // Steps of the model below 2 over the curvature of F + c f; c is largest in the first iteration, where r = 10.5.
    settings["barrier"] = 1;
    settings["value_ridge"] = settings["model_ridge"] = is_quadratic(entry) ? 0.003 : 0.01;
    settings["barrier_offset"] = synthetic ? 0.1 : is_quadratic(entry) ? 0.001 : 0.01;
    settings["model_step_size"] = synthetic ? 0.008 : is_quadratic(entry) ? 0.001 : 0.005;
    settings["model_steps"] = synthetic ? 10 : is_quadratic(entry) ? 60 : 20;
  }
  return settings;
}

/// WC-Penalty's omega keeps a distance of order 1/v to the lower solutions, times the square of the condition: it has
/// bounds of its own. Its step is held down by v, so it has momentum.
ConformanceCase adapted_to_later(const std::string& method, ConformanceCase entry) {
  const bool synthetic = entry.problem == "synthetic", well = entry.problem == "double_well";
  auto& [alpha, omega] = entry.training.optimiser;
  if (method == "forum_single" && !synthetic) {
    if (well) entry.training.iterations = 500;
    if (entry.name == "quadratic, one objective") entry.distance = 0.02;
    return entry;
  }
  alpha.schedule = omega.schedule = {};
  const bool many = entry.name == "quadratic, eight objectives";
  entry.training.iterations = synthetic ? 400 : many ? 100 : 200;
  if (method == "f2sa") entry.training.iterations = synthetic ? 150 : many ? 60 : 100;
  if (method == "forum_single") {
    alpha.step_size = omega.step_size = 0.1;
  } else if (method == "wc_penalty") {
    alpha.kind = omega.kind = OptimiserKind::momentum;
    alpha.step_size = omega.step_size = synthetic ? 0.006 : well ? 0.008 : 0.02;
    entry.training.iterations = is_quadratic(entry) ? 1000 : 600;
    entry.distance = synthetic ? 5e-5 : well ? 0.05 : entry.name == "quadratic, condition 20" ? 1 : 0.2;
  } else {
    alpha.step_size = method == "gmoba" ? 0.1 : 0.3;
    omega.step_size = synthetic ? 0.25 : 0.9;
    if (method == "morbit" && entry.problem == "front_fonseca") entry.training.iterations = 400;
  }
  return entry;
}

/// What the hypergradient methods reach in a fraction of the iterations they are asked to reach there: it saves
/// minutes.
///
/// BVFIM's multiplier c tends to sigma / (mu |z|^2) and not to infinity (decision 0020): omega keeps a distance of
/// about |grad F| / (c lambda_min) to the lower solutions however long it runs, alpha one of the same order, and c
/// times alpha's step size must stay below 2 over the curvature. So it is held to bounds of its own: more where |z|^2
/// is larger (eight objectives: 20 dimensions) and where lambda_min is smaller (condition 20). The others to the
/// case's.
ConformanceCase adapted_to(const std::string& method, ConformanceCase entry) {
  if (method == "forum" || method == "bome") return entry;
  if (is_later(method)) return adapted_to_later(method, std::move(entry));
  const bool synthetic = entry.problem == "synthetic";
  if (synthetic) {
    entry.training.iterations /= 2;
  } else if (method == "bvfim" || entry.problem == "double_well") {
    entry.training.iterations /= 4;
  }
  if (method != "bvfim") return entry;
  if (!is_quadratic(entry)) {
    entry.training.optimiser.alpha.step_size *= synthetic ? 0.1 : 0.3;
    entry.distance = 0.01;
  } else if (entry.name == "quadratic, condition 20") {
    entry.distance = 1.5;
  } else {
    entry.distance = entry.name == "quadratic, eight objectives" ? 1 : 0.5;
  }
  return entry;
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

/// FORUM meets every case; each of the other methods meets every third one, not all of them the same. With
/// MOBLO_EVERY_CASE=1, as in `make test-all`, all meet all but one: BVFIM's model leaves the bowls of front_fonseca,
/// and outside of them F is flat and leads nowhere.
bool meets(const std::string& method, const ConformanceCase& entry, std::size_t case_index) {
  if (method == "bvfim" && entry.problem == "front_fonseca") return false;
  if (method == "forum" || std::getenv("MOBLO_EVERY_CASE") != nullptr) return true;
  std::size_t position = 0;
  while (method_catalogue()[position].name != method) ++position;
  return case_index % 3 == position % 3;
}

TEST_P(EveryMethod, PassesEveryCase) {
  const auto& info = find_method(GetParam(), "test");
  const auto cases = conformance_cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!meets(info.name, cases[i], i)) continue;
    const auto entry = adapted_to(info.name, cases[i]);
    const auto result = check_conformance(entry, [&](const ConformanceCase& c) {
      return make_method(info.name, info.resolve(settings_of(info.name, c), {}));
    });
    SCOPED_TRACE(info.name + " on " + entry.name + ": " + result.message);
    EXPECT_TRUE(result.reached) << "distance " << result.end_distance << " from " << result.start_distance;
    EXPECT_TRUE(result.descended);
    EXPECT_TRUE(result.on_simplex);
    EXPECT_TRUE(result.resumable);
  }
}

/// Methods without gradients of alpha know neither K nor q, and find points of few dimensions only; those on one level
/// leave alpha where it is.
bool solves_bilevel_problems(const MethodInfo& info) {
  const auto traits = info.traits(info.resolve(Json::object(), {}));
  return !traits.gradient_free && !traits.single_level;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& info : method_catalogue()) {
    if (solves_bilevel_problems(info)) names.push_back(info.name);
  }
  return names;
}

TEST(SearchMethods, ComeNearAKnownSolution) {
  for (const auto& searching : method_catalogue()) {
    const auto& name = searching.name;
    if (name != "nsga2" && name != "tpe") continue;  // a build without pagmo has the second alone
    auto entry = conformance_cases().front();
    ASSERT_EQ(entry.problem, "synthetic");
    entry.training.iterations = 20;
    entry.distance = 0.05;
    const auto result = check_conformance(entry, [&](const ConformanceCase&) {
      const auto& info = find_method(name, "test");
      return make_method(name, info.resolve({{"inner_steps", 150}, {"inner_step_size", 0.05}}, {}));
    });
    SCOPED_TRACE(name + ": " + result.message);
    EXPECT_TRUE(result.reached) << "distance " << result.end_distance << " from " << result.start_distance;
    EXPECT_TRUE(result.on_simplex);
    EXPECT_FALSE(result.descended) << "K is not known";
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMethod, ::testing::ValuesIn(method_names()),
                         [](const auto& test) { return test.param; });

/// A method that forgets to move fails: the suite can tell.
class Idle : public Method {
 public:
  void start(BilevelProblem&, std::int64_t objectives) override { objectives_ = static_cast<std::size_t>(objectives); }
  std::string name() const override { return "idle"; }
  MethodTraits traits() const override { return {}; }
  Measurement measure(const StepContext&) override {
    Measurement here;
    here.record.losses.assign(objectives_, 1);
    here.record.weights.assign(objectives_, 1.0 / static_cast<double>(objectives_));
    return here;
  }
  void move(const Measurement&, const StepContext&, Updater&) override {}
  Snapshot save() const override { return {}; }
  void restore(const Snapshot&) override {}

 private:
  std::size_t objectives_ = 0;
};

TEST(Conformance, AMethodThatDoesNothingFails) {
  auto entry = conformance_cases().front();
  entry.training.iterations = 10;
  const auto result = check_conformance(entry, [](const ConformanceCase&) { return std::make_unique<Idle>(); });
  EXPECT_FALSE(result.reached);
  EXPECT_FALSE(result.descended);
  EXPECT_TRUE(result.resumable);
}

}  // namespace
}  // namespace moblo::conformance
