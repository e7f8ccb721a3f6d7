// Options of the methods that no file would get past the option table.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "moblo/methods/autolambda.hpp"
#include "moblo/methods/f2sa.hpp"
#include "moblo/methods/forum_single.hpp"
#include "moblo/methods/gmoba.hpp"
#include "moblo/methods/morbit.hpp"
#include "moblo/methods/nsga2.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/methods/tpe.hpp"
#include "moblo/methods/wc_penalty.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::method_options {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
constexpr double no_choice = 9;  // of any enumeration

/// Options with which the method solves the problem, for the others to differ from in one field.
template <class Options>
Options workable() {
  Options options;
  if constexpr (requires { options.inner_steps; }) options.inner_steps = 20;
  if constexpr (requires { options.inner_step_size; }) options.inner_step_size = 0.3;
  if constexpr (requires { options.system_step_size; }) options.system_step_size = 0.3;
  if constexpr (requires { options.penalty; }) options.penalty = 100;
  return options;
}

template <class Kind, class Options>
Outcome trained_by(const Options& options) {
  constexpr bool searches = requires {
    &Options::upper_evaluations;
  };
  TwoTargets problem;
  if (searches) problem.tolerance = 1;
  constexpr bool penalises = requires {
    &Options::penalty;
  };
  if (std::is_same_v<Kind, Bvfim> || penalises) problem.tolerance = 0.1;
  Kind kind(options);
  return trained(problem, kind, enough(searches ? 20 : 300));
}

MISUSE("nothing is wrong: forum", right(), { return trained_by<Forum>(workable<ForumOptions>()); });
MISUSE("nothing is wrong: bome", right(), { return trained_by<Bome>(workable<BomeOptions>()); });
MISUSE("nothing is wrong: bvfim", right(), { return trained_by<Bvfim>(workable<BvfimOptions>()); });
MISUSE("nothing is wrong: moml", right(), { return trained_by<Moml>(workable<MomlOptions>()); });
MISUSE("nothing is wrong: moco", right(), { return trained_by<Moco>(workable<MocoOptions>()); });
MISUSE("nothing is wrong: autolambda", right(), { return trained_by<Autolambda>(workable<AutolambdaOptions>()); });
MISUSE("nothing is wrong: nsga2", right(), { return trained_by<Nsga2>(workable<Nsga2Options>()); });
MISUSE("nothing is wrong: tpe", right(), { return trained_by<Tpe>(workable<TpeOptions>()); });

MISUSE("nothing is wrong: f2sa", right(), { return trained_by<F2sa>(workable<F2saOptions>()); });
MISUSE("nothing is wrong: gmoba", right(), { return trained_by<Gmoba>(workable<GmobaOptions>()); });
MISUSE("nothing is wrong: morbit", right(), { return trained_by<Morbit>(workable<MorbitOptions>()); });
MISUSE("nothing is wrong: forum_single", right(), { return trained_by<ForumSingle>(workable<ForumSingleOptions>()); });

/// "a finite number is needed", "is out of range" and "is none of" are what a file is told.
template <class T>
Expected as_from_a_file(const std::string& key, double value) {
  if (std::is_enum_v<T>) return refused(key, std::string("is none of"));
  return refused(key, std::string(std::isfinite(value) ? "is out of range" : "a finite number is needed"));
}

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

/// One case per value. `start` are the options that the field is changed in.
template <class Kind, class Options, class Member>
bool bad(const std::string& method, const std::string& key, Member member, std::initializer_list<double> values,
         const Options& start) {
  using T = typename Plain<std::remove_cvref_t<decltype(std::declval<Options&>().*member)>>::type;
  for (const double value : values) {
    Options options = start;
    options.*member = static_cast<T>(value);
    const auto what = std::is_enum_v<T> ? "no choice there is" : fmt::format("{:g}", value);
    add_case(fmt::format("method options: {}.{} = {}", method, key, what), as_from_a_file<T>(key, value),
             [options] { return trained_by<Kind>(options); });
  }
  return true;
}

#define BAD(Kind, method, key, start, ...) bad<Kind>(method, #key, &Kind##Options::key, {__VA_ARGS__}, start)

[[maybe_unused]] const bool of_forum = [] {
  const auto start = workable<ForumOptions>();
  BAD(Forum, "forum", inner_steps, start, -1);
  BAD(Forum, "forum", inner_step_size, start, -0.1, 0, nan, infinite);
  BAD(Forum, "forum", rho, start, -5, nan, infinite);
  BAD(Forum, "forum", beta_exponent, start, -1, 2, nan);
  BAD(Forum, "forum", beta_scale, start, 0, -1, 2, nan);
  BAD(Forum, "forum", q_floor, start, -1, nan, infinite);
  BAD(Forum, "forum", inner_loss_limit, start, -1, nan);
  BAD(Forum, "forum", profile, start, no_choice);
  BAD(Forum, "forum", beta_clock, start, no_choice);
  BAD(Forum, "forum", inner_start, start, no_choice);
  BAD(Forum, "forum", inner_batches, start, no_choice);
  BAD(Forum, "forum", upper_data, start, no_choice);
  BAD(Forum, "forum", upper_gradients, start, no_choice);
  BAD(Forum, "forum", multiplier, start, no_choice);
  return true;
}();

[[maybe_unused]] const bool of_bome = [] {
  const auto start = workable<BomeOptions>();
  BAD(Bome, "bome", inner_steps, start, -1);
  BAD(Bome, "bome", inner_step_size, start, -0.1, 0, nan);
  BAD(Bome, "bome", phi_scale, start, -1, nan);
  BAD(Bome, "bome", q_floor, start, -1, nan);
  BAD(Bome, "bome", phi, start, no_choice);
  return true;
}();

[[maybe_unused]] const bool of_bvfim = [] {
  const auto start = workable<BvfimOptions>();
  BAD(Bvfim, "bvfim", inner_steps, start, -1);
  BAD(Bvfim, "bvfim", inner_step_size, start, -0.1, 0, nan);
  BAD(Bvfim, "bvfim", model_steps, start, 0, -1);
  BAD(Bvfim, "bvfim", model_step_size, start, -0.1, 0, nan);
  BAD(Bvfim, "bvfim", value_ridge, start, -1, nan);
  BAD(Bvfim, "bvfim", model_ridge, start, -1, nan);
  BAD(Bvfim, "bvfim", barrier, start, 0, -1, nan);
  BAD(Bvfim, "bvfim", barrier_offset, start, 0, -1, nan);
  return true;
}();

[[maybe_unused]] const bool of_hypergradients = [] {
  const auto start = workable<MomlOptions>();
  BAD(Moml, "moml", inner_steps, start, 0, -3);
  BAD(Moml, "moml", inner_step_size, start, -0.1, 0, nan);
  BAD(Moml, "moml", inner_start, start, no_choice);
  BAD(Moml, "moml", inner_batches, start, no_choice);
  BAD(Moml, "moml", hypergradient, start, no_choice);
  BAD(Moml, "moml", omega_step, start, no_choice);
  auto implicit = start;
  implicit.hypergradient = HypergradientMode::cg;
  BAD(Moml, "moml", solver_steps, implicit, 0, -1);
  BAD(Moml, "moml", solver_tolerance, implicit, -1, nan, infinite);
  BAD(Autolambda, "autolambda", inner_steps, workable<AutolambdaOptions>(), 0, -1);
  return true;
}();

[[maybe_unused]] const bool of_moco = [] {
  const auto start = workable<MocoOptions>();
  BAD(Moco, "moco", inner_steps, start, 0);
  BAD(Moco, "moco", beta, start, 0, -1, 2, nan);
  BAD(Moco, "moco", beta_exponent, start, -1, 2, nan);
  BAD(Moco, "moco", gamma, start, -1, nan, infinite);
  BAD(Moco, "moco", gamma_exponent, start, -1, 2);
  BAD(Moco, "moco", rho, start, -1, nan);
  BAD(Moco, "moco", projection, start, no_choice);
  BAD(Moco, "moco", gradient_scale, start, no_choice);
  return true;
}();

[[maybe_unused]] const bool of_later_methods = [] {
  const auto f2sa = workable<F2saOptions>();
  BAD(F2sa, "f2sa", inner_steps, f2sa, 0, -1);
  BAD(F2sa, "f2sa", inner_step_size, f2sa, 0, nan);
  BAD(F2sa, "f2sa", penalty, f2sa, 0, -1, nan, infinite);
  BAD(F2sa, "f2sa", penalty_exponent, f2sa, -1, 2);
  BAD(Gmoba, "gmoba", system_step_size, workable<GmobaOptions>(), 0, -1, nan);
  BAD(Morbit, "morbit", inner_steps, workable<MorbitOptions>(), 0);
  BAD(Morbit, "morbit", gamma, workable<MorbitOptions>(), -1, nan);
  BAD(WcPenalty, "wc_penalty", penalty, workable<WcPenaltyOptions>(), 0, -1, infinite);
  BAD(WcPenalty, "wc_penalty", gamma_exponent, workable<WcPenaltyOptions>(), -1, 2);
  const auto single = workable<ForumSingleOptions>();
  BAD(ForumSingle, "forum_single", inner_step_size, single, 0, -1, nan);
  BAD(ForumSingle, "forum_single", recentre_every, single, -1);
  BAD(ForumSingle, "forum_single", multiplier, single, no_choice);
  return true;
}();

MISUSE("method options: wc_penalty.preference with a number too many", refused("preference", "2 objectives"), {
  return trained_by<WcPenalty>(WcPenaltyOptions{.preference = {1, 2, 3}});
});
MISUSE("method options: wc_penalty.preference with a negative number", refused("preference", "out of range"), {
  return trained_by<WcPenalty>(WcPenaltyOptions{.preference = {1, -2}});
});
MISUSE("method options: f2sa.penalty = 1e300", status("non_finite"),
       { return trained_by<F2sa>(F2saOptions{.penalty = 1e300}); });

[[maybe_unused]] const bool of_searches = [] {
  const auto nsga2 = workable<Nsga2Options>();
  BAD(Nsga2, "nsga2", population, nsga2, 0, 4, -8);
  BAD(Nsga2, "nsga2", crossover, nsga2, -0.1, 1.5, nan);
  BAD(Nsga2, "nsga2", crossover_index, nsga2, 0, 1000);
  BAD(Nsga2, "nsga2", mutation, nsga2, -0.1, 2);
  BAD(Nsga2, "nsga2", mutation_index, nsga2, 0, 1000);
  BAD(Nsga2, "nsga2", archive, nsga2, 0, -1);
  BAD(Nsga2, "nsga2", inner_steps, nsga2, 0, -1);
  BAD(Nsga2, "nsga2", inner_step_size, nsga2, -0.1, nan);
  BAD(Nsga2, "nsga2", upper_evaluations, nsga2, 0, -1);
  BAD(Nsga2, "nsga2", range, nsga2, 0, -1, nan, infinite);
  BAD(Nsga2, "nsga2", seed, nsga2, -1);
  const auto tpe = workable<TpeOptions>();
  BAD(Tpe, "tpe", trials, tpe, 0, -1);
  BAD(Tpe, "tpe", startup, tpe, 0, -1);
  BAD(Tpe, "tpe", good_share, tpe, 0, -1, nan);
  BAD(Tpe, "tpe", candidates, tpe, 0, -1);
  BAD(Tpe, "tpe", range, tpe, 0, -1, nan, infinite);
  return true;
}();

MISUSE("method options: nsga2.population = 10 is not a multiple of 4", refused("population", "multiple of 4"), {
  auto options = workable<Nsga2Options>();
  options.population = 10;
  return trained_by<Nsga2>(options);
});

// -- in range, yet far too large ------------------------------------------------------------------------------------

MISUSE("method options: forum.inner_step_size = 1e300", status("non_finite"), {
  auto options = forum_options();
  options.inner_step_size = 1e300;
  return trained_by<Forum>(options);
});

MISUSE("method options: forum.rho = 1e300", refused("forum.rho", "out of range"), {
  auto options = forum_options();
  options.rho = 1e300;
  return trained_by<Forum>(options);
});

MISUSE("method options: forum.inner_steps = 1e15, stop.seconds = 2", refused("inner_steps") | status("time_limit"), {
  auto options = forum_options();
  options.inner_steps = 1'000'000'000'000'000;
  auto training = enough();
  training.stop.seconds = 2;
  TwoTargets problem;
  Forum forum(options);
  return trained(problem, forum, training);
});

MISUSE("method options: moml.inner_steps = 1e15, all of which are kept", refused("inner_steps") | status(), {
  auto options = workable<MomlOptions>();
  options.inner_steps = 1'000'000'000'000'000;
  return trained_by<Moml>(options);
});

// -- the profile ----------------------------------------------------------------------------------------------------

/// Where a run by the options and one by the same options from a file end.
Outcome same_as_from_a_file(const ForumOptions& options, const Json& table) {
  TwoTargets by_options, by_file;
  Forum forum(options);
  const auto from_file = make_method("forum", table);
  const auto summary = train(by_options, forum, enough(20));
  train(by_file, *from_file, enough(20));
  const auto facts = fmt::format("w = {} by options, {} from a file", text_of(by_options.w), text_of(by_file.w));
  return judged(summary, torch::equal(by_options.w, by_file.w), facts);
}

MISUSE("method options: forum.profile = reference means what it means in a file", right(), {
  return same_as_from_a_file({.profile = ForumProfile::reference}, {{"profile", "reference"}});
});

MISUSE("method options: forum.profile = reference with rho given beside it", right(), {
  return same_as_from_a_file({.profile = ForumProfile::reference, .rho = 0.9},
                             {{"profile", "reference"}, {"rho", 0.9}});
});

MISUSE("method options: forum.profile = reference with upper_gradients = raw, the paper's, given beside it", right(), {
  return same_as_from_a_file({.profile = ForumProfile::reference, .upper_gradients = UpperGradients::raw},
                             {{"profile", "reference"}, {"upper_gradients", "raw"}});
});

}  // namespace
}  // namespace moblo::misuse::method_options
