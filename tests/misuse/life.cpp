// What happens to parameters and problems after they were added and made: reassigned, loaded, copied, moved.
#include <fmt/format.h>

#include <sstream>
#include <type_traits>
#include <vector>

#include "moblo/base/error.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::life {
namespace {

/// A step that moves nothing shows whether 7, which the user put into w, is what the run works on.
Outcome goes_on_from_seven(TwoTargets& problem) {
  Forum forum(forum_options());
  const auto summary = train(problem, forum, standing());
  const double reported = summary.final_state.value("omega", std::vector<double>{0}).front();
  return judged(summary, near(problem.w, 7) && reported == problem.w[0].item().toDouble(),
                fmt::format("7 was put in; w = {}, reported {:.4g}", text_of(problem.w), reported));
}

torch::Tensor seven() {
  return torch::full({2}, 7.0, torch::kFloat64);
}

void load_seven(Point& point) {
  Point other;
  torch::NoGradGuard no_grad;
  other->w.fill_(7);
  std::stringstream file;
  torch::save(other, file);
  torch::load(point, file);
}

// -- after add, before the first run --------------------------------------------------------------------------------

MISUSE("life: the handle of w is reassigned after add", refused("lower_loss", "does not depend"), {
  TwoTargets problem;
  problem.w = seven();
  return trained(problem);
});
MISUSE("life: the handle of a is reassigned after add; refused, or the record says that nothing reads alpha",
       refused("'a'") | right(), {
         TwoTargets problem;
         problem.a = seven();
         Listener listener;
         Forum forum(forum_options());
         const auto summary = train(problem, forum, enough(), {.observers = {&listener}});
         return judged(summary, listener.warned(), "a = " + text_of(problem.a) + ", " + listener.whether_warned());
       });
MISUSE("life: one of two handles of the lower level is reassigned after add; refused, or the record says so",
       refused("'scale'") | right(), {
         TwoTargets problem;
         auto scale = torch::ones({1}, torch::kFloat64);
         problem.lower().add("scale", scale);
         scale = torch::ones({1}, torch::kFloat64);
         problem.lower_function = [&] { return problem.gap() * scale.square().sum(); };
         Listener listener;
         Forum forum(forum_options());
         const auto summary = train(problem, forum, enough(), {.observers = {&listener}});
         return judged(summary, listener.warned(), "dropped " + listener.whether_warned());
       });
MISUSE("life: a module is replaced by another after add", refused("lower_loss", "does not depend"), {
  InModule problem;
  problem.point = Point();
  problem.w = problem.point->w;
  return trained(problem);
});
MISUSE("life: w.set_data after add", right(), {
  TwoTargets problem;
  problem.w.set_data(seven());
  return goes_on_from_seven(problem);
});
MISUSE("life: torch::load into the module after add", right(), {
  InModule problem;
  load_seven(problem.point);
  return goes_on_from_seven(problem);
});
MISUSE("life: w.set_data with another shape after add", right(), {
  TwoTargets problem;
  problem.w.set_data(torch::full({2, 1}, 7.0, torch::kFloat64));
  problem.lower_function = [&] { return problem.half_square(problem.w.flatten() - problem.a); };
  problem.upper_function = [&] { return std::vector{problem.half_square(problem.w.flatten() - problem.first)}; };
  return goes_on_from_seven(problem);
});
MISUSE("life: w.set_data with integers after add", refused("'w'", "floating-point"), {
  TwoTargets problem;
  problem.w.set_requires_grad(false);
  problem.w.set_data(torch::full({2}, 7, torch::kInt64));
  return goes_on_from_seven(problem);
});
MISUSE("life: the module goes to single precision after add", refused("type"), {
  InModule problem;
  problem.point->to(torch::kFloat32);
  return trained(problem);
});
MISUSE("life: requires_grad of w is switched off after add", refused("'w'") | right(), {
  TwoTargets problem;
  problem.w.set_requires_grad(false);
  return trained(problem);
});

// -- between two runs -----------------------------------------------------------------------------------------------

MISUSE("life, between runs: w.copy_ under NoGradGuard", right(), {
  TwoTargets problem;
  trained(problem);
  {
    const torch::NoGradGuard no_grad;
    problem.w.copy_(seven());
  }
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: w.set_data", refused("'w'") | right(), {
  TwoTargets problem;
  trained(problem);
  problem.w.set_data(seven());
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: torch::load into the module", refused("'point.w'") | right(), {
  InModule problem;
  trained(problem);
  load_seven(problem.point);
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: the module goes to single precision", refused("type"), {
  InModule problem;
  trained(problem);
  problem.point->to(torch::kFloat32);
  return trained(problem);
});
MISUSE("life, between runs: the module goes to single precision and back", refused("'point.w'") | right(), {
  InModule problem;
  trained(problem);
  problem.point->to(torch::kFloat32);
  {
    const torch::NoGradGuard no_grad;
    problem.w.fill_(7);
  }
  problem.point->to(torch::kFloat64);
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: the handle of w is reassigned", refused("lower_loss", "does not depend"), {
  TwoTargets problem;
  trained(problem);
  problem.w = seven();
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: a step of an optimiser of torch's", right(), {
  TwoTargets problem;
  trained(problem);
  torch::optim::SGD sgd({problem.w}, 1.0);
  problem.half_square(problem.w - 7).backward();
  sgd.step();
  return goes_on_from_seven(problem);
});
MISUSE("life, between runs: gradients of the user's are left in w.grad()", right(), {
  TwoTargets problem;
  trained(problem);
  problem.half_square(problem.w - 7).backward();
  return trained(problem);
});

// -- copies ---------------------------------------------------------------------------------------------------------

[[noreturn]] void by_the_compiler(const char* what) {
  throw Error(ErrorKind::problem, what, "does not compile", "");
}

/// Where copies compile, the original must not move with its copy.
template <class Problem>
Outcome train_a_copy() {
  if constexpr (std::is_copy_constructible_v<Problem>) {
    Problem original;
    Problem copy = original;
    const auto outcome = trained(copy);
    if (!outcome.completed) return outcome;
    return completed(near(original.w, 2, 0),
                     fmt::format("the copy was trained, the original has w = {}", text_of(original.w)));
  } else {
    by_the_compiler("a copy of a problem");
  }
}
MISUSE("life: a copy of a problem is trained", refused("copy"), { return train_a_copy<TwoTargets>(); });

template <class Problem>
Outcome train_copy_and_original() {
  if constexpr (std::is_copy_constructible_v<Problem>) {
    Problem original;
    trained(original);
    Problem copy = original;
    {
      const torch::NoGradGuard no_grad;
      copy.w.fill_(7);
    }
    const double before = original.w[0].template item<double>();
    trained(copy);
    return completed(before != 7, fmt::format("7 was put into the copy, the original has {:.4g}", before));
  } else {
    by_the_compiler("a copy of a problem");
  }
}
MISUSE("life: 7 is written into the copy of a trained problem", refused("copy"),
       { return train_copy_and_original<TwoTargets>(); });

template <class Problem>
Outcome assign() {
  if constexpr (std::is_copy_assignable_v<Problem>) {
    Problem one, other;
    one = other;
    const torch::NoGradGuard no_grad;
    one.w.fill_(7);
    return completed(near(other.w, 2, 0), fmt::format("7 was put into one, the other has w = {}", text_of(other.w)));
  } else {
    by_the_compiler("a copy of a problem by assignment");
  }
}
MISUSE("life: a problem is assigned to another", refused("copy"), { return assign<TwoTargets>(); });

template <class Problem>
Outcome train_in_vector() {
  if constexpr (std::is_move_constructible_v<Problem>) {
    std::vector<Problem> problems;
    for (int i = 0; i < 5; ++i) problems.emplace_back();
    const auto outcome = trained(problems[0]);
    if (!outcome.completed) return outcome;
    return completed(outcome.right && near(problems[1].w, 2, 0),
                     outcome.text + ", its neighbour " + text_of(problems[1].w));
  } else {
    by_the_compiler("problems in a vector");
  }
}
MISUSE("life: problems in a vector that grows", refused("vector") | right(), { return train_in_vector<TwoTargets>(); });

template <class Problem>
Outcome train_after_move() {
  if constexpr (std::is_move_constructible_v<Problem>) {
    Problem original;
    trained(original);
    Problem moved = std::move(original);
    {
      const torch::NoGradGuard no_grad;
      moved.w.fill_(7);
    }
    return goes_on_from_seven(moved);
  } else {
    by_the_compiler("a problem that is moved");
  }
}
MISUSE("life: a trained problem is moved, and trained again", refused("moved") | right(),
       { return train_after_move<TwoTargets>(); });

}  // namespace
}  // namespace moblo::misuse::life
