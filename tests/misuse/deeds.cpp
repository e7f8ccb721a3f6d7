// What losses do besides computing: they write to parameters, keep graphs, change modes.
#include <fmt/format.h>

#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::deeds {
namespace {

Outcome with_lower(const std::function<torch::Tensor(TwoTargets&)>& loss) {
  TwoTargets problem;
  problem.lower_function = [&] { return loss(problem); };
  return trained(problem);
}
Outcome with_upper(const std::function<std::vector<torch::Tensor>(TwoTargets&)>& losses) {
  TwoTargets problem;
  problem.upper_function = [&] { return losses(problem); };
  return trained(problem);
}

MISUSE("deeds: upper_losses writes to w under NoGradGuard", status("'w'") | refused("'w'"), {
  return with_upper([](auto& p) {
    const torch::NoGradGuard no_grad;
    p.w.mul_(0.9);
    const torch::AutoGradMode on(true);
    return p.both();
  });
});
MISUSE("deeds: lower_loss clamps a to [1, 3] under NoGradGuard", status("'a'") | refused("'a'") | right(), {
  TwoTargets problem;
  problem.lower_function = [&] {
    {
      const torch::NoGradGuard no_grad;
      problem.a.clamp_(1.0, 3.0);
    }
    return problem.gap();
  };
  const auto outcome = trained(problem);
  if (!outcome.completed) return outcome;
  return completed(near(problem.a, 1, 1e-9) && near(problem.w, 1), "a = w = (1, 1) is right; " + outcome.text);
});
MISUSE("deeds: upper_losses writes to w, with gradients on", refused("in-place"),
       { return with_upper([](auto& p) { return p.w.mul_(0.9), p.both(); }); });
MISUSE("deeds: upper_losses writes through w.data()", status("'w'") | refused("'w'"),
       { return with_upper([](auto& p) { return p.w.data().mul_(0.9), p.both(); }); });
MISUSE("deeds: a loss gives w another tensor of the same shape (set_data)", status("'w'") | right(), {
  return with_upper([](auto& p) {
    if (p.upper_calls == late) p.w.set_data(torch::full({2}, 7.0, torch::kFloat64));
    return p.both();
  });
});
MISUSE("deeds: a loss gives w another shape (set_data)", status("'w'"), {
  return with_lower([](auto& p) {
    if (p.upper_calls == late) p.w.set_data(torch::full({3}, 2.0, torch::kFloat64));
    return p.upper_calls >= late ? p.w.sum() : p.gap();
  });
});
MISUSE("deeds: a loss gives w another type (set_data)", status("'w'") | right(), {
  return with_lower([](auto& p) {
    if (p.upper_calls == late) p.w.set_data(torch::full({2}, 2.0F));
    return p.gap();
  });
});
MISUSE("deeds: a loss switches requires_grad of w off", status("requires_grad"), {
  return with_lower([](auto& p) {
    if (p.upper_calls == late) p.w.set_requires_grad(false);
    return p.gap();
  });
});
MISUSE("deeds: a loss puts another tensor into the handle of w", status("has no gradient"), {
  return with_lower([](auto& p) {
    if (p.upper_calls == late) p.w = torch::full({2}, 2.0, torch::kFloat64);
    return p.gap();
  });
});
MISUSE("deeds: a loss puts another tensor into the handle of a", status("'a'") | refused("'a'"), {
  return with_lower([](auto& p) {
    if (p.upper_calls == late) p.a = torch::full({2}, 2.0, torch::kFloat64);
    return p.gap();
  });
});
MISUSE("deeds: a loss adds up its earlier values with their graphs", status("second time"), {
  torch::Tensor sum;
  return with_lower([&](auto& p) {
    sum = sum.defined() ? sum * 0.5 + p.gap() : p.gap();
    return sum;
  });
});
MISUSE("deeds: a loss returns the tensor of its first call again", status("second time"), {
  torch::Tensor kept;
  return with_lower([&](auto& p) {
    if (!kept.defined()) kept = p.gap();
    return kept;
  });
});
MISUSE("deeds: a loss calls backward() itself", refused("second time") | status("second time"), {
  return with_lower([](auto& p) {
    const auto loss = p.gap();
    loss.backward();
    return loss;
  });
});
MISUSE("deeds: a loss calls backward() and keeps the graph", right(), {
  return with_lower([](auto& p) {
    const auto loss = p.gap();
    loss.backward({}, /*retain_graph=*/true);
    return loss;
  });
});
MISUSE("deeds: a loss makes steps with an optimiser of torch's", status("'w'") | refused("'w'"), {
  TwoTargets problem;
  torch::optim::SGD sgd({problem.w}, 0.1);
  problem.upper_function = [&] {
    sgd.zero_grad();
    problem.half_square(problem.w - 9).backward();
    sgd.step();
    return problem.both();
  };
  return trained(problem);
});
MISUSE("deeds: a loss switches gradients off for good (GradMode)", refused("grad") | status("grad"), {
  const auto outcome = with_upper([](auto& p) {
    torch::GradMode::set_enabled(p.upper_calls <= late);
    return p.both();
  });
  torch::GradMode::set_enabled(true);
  return outcome;
});
MISUSE("deeds: train is called under NoGradGuard", refused("NoGradGuard") | right(), {
  const torch::NoGradGuard no_grad;
  TwoTargets problem;
  return trained(problem);
});
MISUSE("deeds: train is called under InferenceMode", refused("InferenceMode") | right(), {
  TwoTargets problem;
  const c10::InferenceMode mode;
  return trained(problem);
});
MISUSE("deeds: the default dtype is changed to double, parameters in single precision", right(), {
  torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
  TwoTargets problem(TwoTargets::filled, torch::kFloat32);
  return trained(problem);
});
MISUSE("deeds: a loss trains another problem", right(), {
  return with_upper([](auto& p) {
    if (p.upper_calls == late) {
      TwoTargets other;
      Forum forum(forum_options());
      train(other, forum, enough(10));
    }
    return p.both();
  });
});
MISUSE("deeds: a loss trains the problem that it belongs to", refused("in a run already") | status("in a run already"),
       {
         return with_upper([](auto& p) {
           if (p.upper_calls == late) {
             Forum forum(forum_options());
             train(p, forum, enough(10));
           }
           return p.both();
         });
       });
MISUSE("deeds: evaluate() throws", status("failed", "my metrics"), {
  struct Unmeasurable : TwoTargets {
    std::vector<std::pair<std::string, double>> evaluate() override { throw std::runtime_error("my metrics"); }
  } problem;
  return trained(problem);
});
MISUSE("deeds: evaluate() throws where select asks for it first",
       refused("my metrics") | status("failed", "my metrics"), {
         struct Unmeasurable : TwoTargets {
           std::vector<std::pair<std::string, double>> evaluate() override { throw std::runtime_error("my metrics"); }
         } problem;
         auto options = enough();
         options.evaluate_every = 10;
         options.select = "score";
         Forum forum(forum_options());
         return trained(problem, forum, options);
       });
MISUSE("deeds: distance_to_solution_set() throws", status("failed", "my distance"), {
  struct Lost : TwoTargets {
    std::optional<double> distance_to_solution_set() override {
      if (lower_calls < 1000) throw std::runtime_error("my distance");
      return TwoTargets::distance_to_solution_set();
    }
  } problem;
  Forum forum(forum_options());
  const auto summary = train(problem, forum, enough());
  return judged(summary, false, "the exception was swallowed");
});

}  // namespace
}  // namespace moblo::misuse::deeds
