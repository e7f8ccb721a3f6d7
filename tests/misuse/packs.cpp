// What is added to upper_ and lower_.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::packs {
namespace {

/// The problem with another tensor in the place of w.
Outcome trained_on_w(const torch::Tensor& w) {
  TwoTargets problem(TwoTargets::bare);
  problem.w = w;
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  return trained(problem);
}

Outcome trained_in(torch::Dtype type) {
  TwoTargets problem(TwoTargets::filled, type);
  return trained(problem);
}

MISUSE("packs: nothing in upper_", refused("upper level", "no parameters"), {
  TwoTargets problem(TwoTargets::bare);
  problem.lower().add("w", problem.w);
  return trained(problem);
});

MISUSE("packs: nothing in lower_", refused("lower level", "no parameters"), {
  TwoTargets problem(TwoTargets::bare);
  problem.upper().add("a", problem.a);
  return trained(problem);
});

// -- one tensor, several times --------------------------------------------------------------------------------------

MISUSE("packs: one tensor twice in a level, under two names", refused("'again'"), {
  TwoTargets problem;
  problem.lower().add("again", problem.w);
  return trained(problem);
});

MISUSE("packs: one tensor in both levels", refused("both levels"), {
  TwoTargets problem;
  problem.upper().add("w too", problem.w);
  return trained(problem);
});

MISUSE("packs: one tensor by add_rows under two names", refused("'again'"), {
  TwoTargets problem;
  const auto table = torch::zeros({4}, torch::kFloat64);
  problem.upper().add_rows("table", table);
  problem.upper().add_rows("again", table);
  return trained(problem);
});

MISUSE("packs: one tensor by add and by add_rows", refused("'again'"), {
  TwoTargets problem;
  problem.upper().add_rows("again", problem.a);
  return trained(problem);
});

MISUSE("packs: overlapping views of one tensor in a level", refused("overlap"), {
  TwoTargets problem(TwoTargets::bare);
  const auto memory = torch::full({3}, 2.0, torch::kFloat64);
  problem.w = memory.narrow(0, 0, 2);
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  problem.lower().add("overlapping", memory.narrow(0, 1, 2));
  return trained(problem);
});

MISUSE("packs: overlapping views of one tensor in both levels", refused("overlap"), {
  TwoTargets problem(TwoTargets::bare);
  const auto memory = torch::full({3}, 2.0, torch::kFloat64);
  problem.a = memory.narrow(0, 0, 2);
  problem.w = memory.narrow(0, 1, 2);
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  return trained(problem);
});

MISUSE("packs: a view is added, and F reads the whole that it was a view of", refused("F_1", "gradient") | right(), {
  TwoTargets problem(TwoTargets::bare);
  const auto whole = torch::full({4}, 2.0, torch::kFloat64);
  problem.w = whole.narrow(0, 0, 2);
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  problem.upper_function = [&] {
    const auto seen = whole.narrow(0, 0, 2);
    return std::vector{problem.half_square(seen - problem.first), problem.half_square(seen - problem.second)};
  };
  return trained(problem);
});

MISUSE("packs: a detached alias is added, and F reads the original", refused("F_1", "gradient") | right(), {
  TwoTargets problem(TwoTargets::bare);
  const auto original = problem.w;
  problem.w = original.detach();
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  problem.upper_function = [&] {
    return std::vector{problem.half_square(original - problem.first), problem.half_square(original - problem.second)};
  };
  return trained(problem);
});

MISUSE("packs: an expanded tensor, one number with two places", right(),
       { return trained_on_w(torch::full({1}, 2.0, torch::kFloat64).expand({2})); });

MISUSE("packs: memory of the caller's (from_blob), which the caller reads afterwards", refused("'w'") | right(), {
  std::array<double, 2> memory{2, 2};
  const auto outcome = trained_on_w(torch::from_blob(memory.data(), {2}, torch::kFloat64));
  if (!outcome.completed) return outcome;
  const bool seen = memory[0] != 2;
  return completed(seen,
                   fmt::format("the caller's memory holds ({:.4g}, {:.4g}); {}", memory[0], memory[1], outcome.text));
});

// -- tensors that are no parameters ---------------------------------------------------------------------------------

MISUSE("packs: an undefined tensor", refused("'w'", "undefined"), { return trained_on_w({}); });
MISUSE("packs: a tensor without elements", refused("'w'", "no elements"),
       { return trained_on_w(torch::zeros({0}, torch::kFloat64)); });
MISUSE("packs: the result of a computation", refused("'w'", "result of a computation"),
       { return trained_on_w(torch::ones({2}, torch::requires_grad().dtype(torch::kFloat64)) * 2); });
MISUSE("packs: integers", refused("'w'", "floating-point"),
       { return trained_on_w(torch::full({2}, 2, torch::kInt64)); });
MISUSE("packs: complex numbers", refused("'w'", "floating-point"),
       { return trained_on_w(torch::full({2}, 2.0, torch::kComplexDouble)); });
MISUSE("packs: half precision", refused("kFloat32"), { return trained_in(torch::kHalf); });
MISUSE("packs: bfloat16", refused("kFloat32"), { return trained_in(torch::kBFloat16); });
MISUSE("packs: a sparse tensor", refused("'w'", "sparse"),
       { return trained_on_w(torch::full({2}, 2.0, torch::kFloat64).to_sparse()); });
MISUSE("packs: w on the device meta", refused("'w'", "device"),
       { return trained_on_w(torch::zeros({2}, torch::TensorOptions(torch::kMeta).dtype(torch::kFloat64))); });
MISUSE("packs: a on the device meta", refused("'a'", "device"), {
  TwoTargets problem(TwoTargets::bare);
  problem.a = torch::zeros({2}, torch::TensorOptions(torch::kMeta).dtype(torch::kFloat64));
  problem.upper().add("a", problem.a);
  problem.lower().add("w", problem.w);
  return trained(problem);
});
MISUSE("packs: a tensor made under InferenceMode", refused("'w'", "InferenceMode"), {
  torch::Tensor w;
  {
    const c10::InferenceMode mode;
    w = torch::full({2}, 2.0, torch::kFloat64);
  }
  return trained_on_w(w);
});
MISUSE("packs: two types in one level", refused("other", "type"), {
  TwoTargets problem;
  problem.lower().add("other", torch::zeros({2}));
  return trained(problem);
});
MISUSE("packs: two types in the two levels", refused("type"), { return trained_on_w(torch::full({2}, 2.0F)); });
MISUSE("packs: NaN in a parameter that the losses read", refused("finite"),
       { return trained_on_w(torch::full({2}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64)); });
MISUSE("packs: NaN in a parameter that no loss reads", refused("unread", "finite"), {
  TwoTargets problem;
  problem.lower().add("unread", torch::full({2}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64));
  return trained(problem);
});
MISUSE("packs: a tensor that is not contiguous", right(), {
  return trained_on_w(torch::full({2, 2}, 2.0, torch::kFloat64).select(1, 0));
});

// -- names ----------------------------------------------------------------------------------------------------------

MISUSE("packs: one name for two tensors", refused("'w'", "added before"), {
  TwoTargets problem;
  problem.lower().add("w", torch::zeros({2}, torch::kFloat64));
  return trained(problem);
});
MISUSE("packs: an empty name", refused("name"), {
  TwoTargets problem;
  problem.lower().add("", torch::zeros({2}, torch::kFloat64));
  return trained(problem);
});

// -- modules --------------------------------------------------------------------------------------------------------

MISUSE("packs: a module twice", refused("'again'") | right(), {
  InModule problem;
  problem.lower().add("again", *problem.point);
  return trained(problem);
});
MISUSE("packs: a module in both levels", refused("both levels"), {
  InModule problem;
  problem.upper().add("point", *problem.point);
  return trained(problem);
});
MISUSE("packs: two modules of a level share a weight", right(), {
  InModule problem;
  torch::nn::Module other;
  other.register_parameter("same", problem.point->w);
  problem.lower().add("other", other);
  return trained(problem);
});
MISUSE("packs: a module without parameters beside others", refused("relu", "no parameters") | right(), {
  TwoTargets problem;
  torch::nn::ReLU relu;
  problem.lower().add("relu", *relu);
  return trained(problem);
});
MISUSE("packs: a parameter of a module with requires_grad = false", right(), {
  InModule problem(TwoTargets::bare);
  const auto frozen = problem.point->register_parameter("frozen", torch::ones({2}, torch::kFloat64), false);
  problem.lower().add("point", *problem.point);
  problem.lower_function = [&] { return problem.gap() + problem.half_square(frozen); };
  const auto outcome = trained(problem);
  if (!outcome.completed) return outcome;
  return completed(near(frozen, 1, 0), fmt::format("frozen at 1, now {}; {}", text_of(frozen), outcome.text));
});

// -- when, and whether it is read -----------------------------------------------------------------------------------

MISUSE("packs: a tensor is added after a run", refused("late", "constructor"), {
  TwoTargets problem;
  trained(problem);
  problem.upper().add("late", torch::zeros({2}, torch::kFloat64));
  return trained(problem);
});
MISUSE("packs: rows are added after a run", refused("late", "constructor"), {
  TwoTargets problem;
  trained(problem);
  problem.upper().add_rows("late", torch::zeros({2}, torch::kFloat64));
  return trained(problem);
});
MISUSE("packs: a loss adds rows in the middle of a run", status("late", "constructor"), {
  TwoTargets problem;
  problem.lower_function = [&] {
    if (problem.upper_calls < late) return problem.gap();
    if (!problem.upper().has_rows()) problem.upper().add_rows("late", torch::zeros({4}, torch::kFloat64));
    return problem.gap() + problem.upper().rows("late", torch::arange(4)).square().sum();
  };
  return trained(problem);
});
MISUSE("packs: nothing reads alpha; the record says so", right(), {
  TwoTargets problem;
  problem.lower_function = [&] { return problem.half_square(problem.w - problem.first); };
  Listener listener;
  Forum forum(forum_options());
  const auto summary = train(problem, forum, enough(), {.observers = {&listener}});
  return judged(summary, listener.warned(), listener.whether_warned());
});
MISUSE("packs: one of two tensors of omega is read by no loss; the record says so", right(), {
  TwoTargets problem;
  problem.lower().add("unread", torch::zeros({2}, torch::kFloat64));
  Listener listener;
  Forum forum(forum_options());
  const auto summary = train(problem, forum, enough(), {.observers = {&listener}});
  return judged(summary, listener.warned(), listener.whether_warned());
});

}  // namespace
}  // namespace moblo::misuse::packs
