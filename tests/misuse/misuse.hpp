#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/moblo.hpp"

namespace moblo::misuse {

/// In which ways a misuse may end without harm, and what the line of that outcome must contain.
struct Expected {
  struct Way {
    std::string outcome;  ///< "refused", "status" or "right"
    std::vector<std::string> words;
  };
  std::vector<Way> ways;
};

/// A moblo::Error before anything ran.
template <class... Words>
Expected refused(Words... words) {
  return {{{"refused", {words...}}}};
}
/// A summary that is no success.
template <class... Words>
Expected status(Words... words) {
  return {{{"status", {words...}}}};
}
/// It works after all.
inline Expected right() {
  return {{{"right", {}}}};
}
inline Expected operator|(Expected one, const Expected& other) {
  one.ways.insert(one.ways.end(), other.ways.begin(), other.ways.end());
  return one;
}

/// How a case ended. Refusals are thrown, and told apart by main.
struct Outcome {
  bool completed = false;
  bool right = false;  ///< only where it completed
  std::string text;
};

Outcome completed(bool right, const std::string& facts);

struct Case {
  std::string name;
  Expected expected;
  std::function<Outcome()> body;
};

std::vector<Case>& cases();
bool add_case(std::string name, Expected expected, std::function<Outcome()> body);

#define MOBLO_JOINED(a, b) a##b
#define MOBLO_NAMED_BY(counter) MOBLO_JOINED(misuse_, counter)
/// MISUSE("section: what is done", what is expected, { body that returns an Outcome })
#define MISUSE(name, expected, ...)                                \
  [[maybe_unused]] static const bool MOBLO_NAMED_BY(__COUNTER__) = \
      ::moblo::misuse::add_case(name, expected, []() -> ::moblo::misuse::Outcome __VA_ARGS__)

/// f = |w - a|^2 / 2 and F_i = |w - u_i|^2 / 2 with u_1 = (1, 0), u_2 = (0, 1), all from a = w = (2, 2). The solutions
/// are a = w anywhere between u_1 and u_2; what treats the two alike ends at (1/2, 1/2), where F_1 = F_2 = 1/4.
class TwoTargets : public BilevelProblem {
 public:
  enum Packs { filled, bare };  ///< bare: the case adds the parameters

  explicit TwoTargets(Packs packs = filled, torch::Dtype type = torch::kFloat64);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override { return given_traits; }
  std::optional<double> distance_to_solution_set() override;

  /// What the two losses give unless a case replaces them.
  std::vector<torch::Tensor> both() const { return {half_square(w - first), half_square(w - second)}; }
  torch::Tensor gap() const { return half_square(w - a); }
  static torch::Tensor half_square(const torch::Tensor& x) { return x.square().sum() / 2; }

  torch::Tensor a, w, first, second;
  std::function<std::vector<torch::Tensor>()> upper_function;
  std::function<torch::Tensor()> lower_function;
  std::int64_t upper_calls = 0, lower_calls = 0;  ///< before the one that runs
  ProblemTraits given_traits{.strongly_convex_lower = true};
  double tolerance = 0.05;  ///< of the distance to the solutions
};

/// A module with a parameter of two numbers.
struct PointImpl : torch::nn::Module {
  explicit PointImpl(torch::Dtype type = torch::kFloat64) { w = register_parameter("w", torch::full({2}, 2.0, type)); }
  torch::Tensor w;
};
TORCH_MODULE(Point);

/// The same problem with w in a module, `point.w`.
class InModule : public TwoTargets {
 public:
  explicit InModule(Packs packs = filled) : TwoTargets(bare) {
    w = point->w;
    upper_.add("a", a);
    if (packs == filled) lower_.add("point", *point);
  }
  Point point;
};

/// From here on a loss misbehaves that is right at the start.
constexpr std::int64_t late = 5;

/// Enough for any method to come near the solutions.
TrainingOptions enough(std::int64_t iterations = 300);
ForumOptions forum_options();

/// Trains, then looks whether (a, w) is near the solutions.
Outcome trained(TwoTargets& problem, Method& method, const TrainingOptions& options = enough(),
                const RunControl& control = {});
/// The same with FORUM.
Outcome trained(TwoTargets& problem);
/// What a summary says; `right` and `facts` are for one that completed.
Outcome judged(const Summary& summary, bool right, const std::string& facts);

/// One step that moves nothing that can be seen.
TrainingOptions standing();

std::string text_of(const torch::Tensor& values);
inline bool near(const torch::Tensor& values, double wanted, double tolerance = 0.05) {
  return torch::allclose(values.detach(), torch::full_like(values, wanted), 0, tolerance);
}

/// Keeps all that a run says, for the cases that ask whether it warned.
class Listener : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override { said += to_json(record).dump(); }
  void saved(std::int64_t, const Snapshot& state) override { last = state; }
  void ended(const Summary& summary) override { said += to_json(summary).dump(); }
  bool warned() const { return said.find("warning") != std::string::npos; }
  std::string whether_warned() const { return warned() ? "with a warning" : "without a warning"; }

  std::string said;
  Snapshot last;
};

}  // namespace moblo::misuse
