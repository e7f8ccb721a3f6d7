// Runs: one method for several, several at once, resumed from the wrong place, watched by observers that misbehave.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>

#include "moblo/training/state.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::runs {
namespace {

/// With a third objective between the other two, so that the solutions stay the same.
class ThreeTargets : public TwoTargets {
 public:
  ThreeTargets() {
    upper_function = [this] {
      auto losses = both();
      losses.push_back(half_square(w - (first + second) / 2));
      return losses;
    };
  }
};

MocoOptions moco_options() {
  MocoOptions options;
  options.inner_steps = 20;
  options.inner_step_size = 0.3;
  return options;
}

MomlOptions moml_options() {
  MomlOptions options;
  options.inner_steps = 20;
  options.inner_step_size = 0.3;
  return options;
}

// -- one method, several runs ---------------------------------------------------------------------------------------

MISUSE("runs: train twice, the second goes on", right(), {
  TwoTargets problem;
  trained(problem);
  return trained(problem);
});
MISUSE("runs: one method for two problems with other m and other types", right(), {
  Forum forum(forum_options());
  ThreeTargets three;
  trained(three, forum);
  TwoTargets single(TwoTargets::filled, torch::kFloat32);
  trained(single, forum);
  TwoTargets problem;
  return trained(problem, forum);
});
MISUSE("runs: the problem of a method's first run is gone", right(), {
  Moco moco(moco_options());
  {
    TwoTargets gone;
    trained(gone, moco);
  }
  TwoTargets problem;
  return trained(problem, moco);
});
MISUSE("runs: a method steps without start", refused("start"), {
  TwoTargets problem;
  Forum forum(forum_options());
  PhaseTimer timer;
  const auto record = forum.measure({problem, timer, 0}).record;
  return completed(false, fmt::format("a record with {} losses", record.losses.size()));
});

// -- two at once ----------------------------------------------------------------------------------------------------

/// Where one run ends alone, and where each of two ends that run at the same time.
Outcome two_at_once(bool with_dropout) {
  const auto run = [=] {
    TwoTargets problem;
    problem.lower_function = [&] {
      return problem.half_square(with_dropout ? torch::dropout(problem.w, 0.5, true) - problem.a
                                              : problem.w - problem.a);
    };
    Forum forum(forum_options());
    train(problem, forum, enough(500));
    return problem.w.detach().clone();
  };
  torch::manual_seed(0);
  const auto alone = run();
  torch::manual_seed(0);
  torch::Tensor one, other;
  std::exception_ptr refusal;
  std::thread thread([&] {
    try {
      other = run();
    } catch (...) {
      refusal = std::current_exception();
    }
  });
  try {
    one = run();
  } catch (...) {
    refusal = std::current_exception();
  }
  thread.join();
  if (refusal) std::rethrow_exception(refusal);
  return completed(torch::equal(one, alone) && torch::equal(other, alone),
                   fmt::format("alone {}, at once {} and {}", text_of(alone), text_of(one), text_of(other)));
}
MISUSE("runs: two threads, a problem each", right(), { return two_at_once(false); });
MISUSE("runs: two threads, a problem with dropout each", refused("random") | right(), { return two_at_once(true); });

MISUSE("runs: two threads train one problem", refused("in a run already") | status("in a run already"), {
  TwoTargets problem;
  Outcome one;
  std::exception_ptr refusal;
  const auto run = [&](Outcome& to) {
    try {
      Forum forum(forum_options());
      to = trained(problem, forum, enough(2000));
    } catch (...) {
      refusal = std::current_exception();
    }
  };
  Outcome other;
  std::thread thread(run, std::ref(other));
  run(one);
  thread.join();
  if (refusal) std::rethrow_exception(refusal);
  return one.completed && !one.right ? one : other;
});
MISUSE("runs: two threads with one method", refused("in a run already") | status("in a run already"), {
  Forum forum(forum_options());
  TwoTargets first, second;
  Outcome one, other;
  std::exception_ptr refusal;
  const auto run = [&](TwoTargets& problem, Outcome& to) {
    try {
      to = trained(problem, forum, enough(2000));
    } catch (...) {
      refusal = std::current_exception();
    }
  };
  std::thread thread(run, std::ref(first), std::ref(one));
  run(second, other);
  thread.join();
  if (refusal) std::rethrow_exception(refusal);
  return one.completed && !one.right ? one : other;
});

// -- resumed from the wrong place -----------------------------------------------------------------------------------

template <class Problem = TwoTargets>
Snapshot snapshot_of(Method& method) {
  Problem problem;
  Listener listener;
  train(problem, method, enough(10), {.observers = {&listener}});
  return listener.last;
}

template <class Problem = TwoTargets>
Outcome resumed(Method& method, const Snapshot& from) {
  Problem problem;
  RunControl control;
  control.resume = &from;
  return trained(problem, method, enough(), control);
}

MISUSE("runs, resume: nothing is wrong", right(), {
  Forum forum(forum_options());
  const auto state = snapshot_of(forum);
  return resumed(forum, state);
});
MISUSE("runs, resume: an empty snapshot", refused("checkpoint"), {
  Forum forum(forum_options());
  return resumed(forum, {});
});
MISUSE("runs, resume: the snapshot of a problem with other names", refused("checkpoint"), {
  Forum forum(forum_options());
  return resumed(forum, snapshot_of<InModule>(forum));
});
MISUSE("runs, resume: the snapshot of a problem with other sizes", refused("checkpoint", "shape"), {
  Forum forum(forum_options());
  auto state = snapshot_of(forum);
  state.tensors["omega/w"] = torch::zeros({3}, torch::kFloat64);
  return resumed(forum, state);
});
MISUSE("runs, resume: forum from moml's snapshot", refused("checkpoint"), {
  Forum forum(forum_options());
  Moml moml(moml_options());
  return resumed(forum, snapshot_of(moml));
});
MISUSE("runs, resume: bome from forum's snapshot, which holds all that bome asks for", refused("checkpoint"), {
  Bome bome({.inner_steps = 20, .inner_step_size = 0.3});
  Forum forum(forum_options());
  return resumed(bome, snapshot_of(forum));
});
MISUSE("runs, resume: forum with 3 objectives from a snapshot with 2", refused("checkpoint", "objectives"), {
  Forum forum(forum_options());
  return resumed<ThreeTargets>(forum, snapshot_of(forum));
});
MISUSE("runs, resume: forum with 2 objectives from a snapshot with 3", refused("checkpoint", "objectives"), {
  Forum forum(forum_options());
  return resumed(forum, snapshot_of<ThreeTargets>(forum));
});
MISUSE("runs, resume: moco with 3 objectives from a snapshot with 2", refused("checkpoint", "objectives"), {
  Moco moco(moco_options());
  return resumed<ThreeTargets>(moco, snapshot_of(moco));
});
MISUSE("runs, resume: inner_start = initial from a snapshot without omega_0", refused("checkpoint"), {
  Forum forum(forum_options());
  const auto state = snapshot_of(forum);
  auto options = forum_options();
  options.inner_start = InnerStart::initial;
  Forum from_start(options);
  return resumed(from_start, state);
});
MISUSE("runs, resume: NaN in the snapshot", refused("checkpoint", "finite") | status("non_finite"), {
  Forum forum(forum_options());
  auto state = snapshot_of(forum);
  state.tensors["omega/w"] = torch::full({2}, std::numeric_limits<double>::quiet_NaN(), torch::kFloat64);
  return resumed(forum, state);
});
MISUSE("runs, resume: next_k = -5", refused("checkpoint", "next_k"), {
  Forum forum(forum_options());
  auto state = snapshot_of(forum);
  state.values["next_k"] = -5;
  return resumed(forum, state);
});
MISUSE("runs, resume: no random state in the snapshot", refused("checkpoint"), {
  Forum forum(forum_options());
  auto state = snapshot_of(forum);
  state.tensors.erase("torch_random_state");
  return resumed(forum, state);
});

// -- observers ------------------------------------------------------------------------------------------------------

Outcome observed_by(RunObserver* observer) {
  TwoTargets problem;
  Forum forum(forum_options());
  return trained(problem, forum, enough(), {.observers = {observer}});
}

MISUSE("runs: an observer that is null", refused("observer"), { return observed_by(nullptr); });

/// Throws at one place, an exception or a number.
struct Thrower : RunObserver {
  explicit Thrower(std::string where_, bool number_ = false) : where(std::move(where_)), number(number_) {}
  void started(const ProblemShape&, std::int64_t, std::int64_t) override { at("started"); }
  void stepped(const StepRecord&, const StepTiming&) override { at("stepped"); }
  void saved(std::int64_t, const Snapshot&) override { at("saved"); }
  void ended(const Summary&) override { at("ended"); }
  void at(const std::string& place) const {
    if (place != where) return;
    if (number) throw 42;
    throw std::runtime_error("my observer");
  }
  std::string where;
  bool number;
};

[[maybe_unused]] const bool throwing_observers = [] {
  for (const std::string place : {"started", "stepped", "saved", "ended"}) {
    add_case("runs: an observer throws in " + place, status("failed", "my observer"), [=] {
      Thrower thrower(place);
      return observed_by(&thrower);
    });
    add_case("runs: an observer throws an int in " + place, status("failed"), [=] {
      Thrower thrower(place, true);
      return observed_by(&thrower);
    });
  }
  return true;
}();

/// A folder that goes when it does.
struct TemporaryFolder {
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("moblo-misuse-{}", ::getpid());
};

MISUSE("runs: the same run into one folder twice", right(), {
  const TemporaryFolder folder;
  TwoTargets problem, again;
  train_in_folder(folder.path, problem, Forum(forum_options()), enough());
  const auto summary = train_in_folder(folder.path, again, Forum(forum_options()), enough());
  return judged(summary, torch::equal(problem.w, again.w), "w = " + text_of(again.w));
});
MISUSE("runs: a folder that holds a run of another method", refused("another method"), {
  const TemporaryFolder folder;
  TwoTargets problem, again;
  train_in_folder(folder.path, problem, Forum(forum_options()), enough());
  const auto summary = train_in_folder(folder.path, again, Bome(), enough());
  return judged(summary, false, "w = " + text_of(again.w));
});

}  // namespace
}  // namespace moblo::misuse::runs
