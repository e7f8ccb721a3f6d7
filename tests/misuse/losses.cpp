// What the losses return, throw and do: from the start, and from the fifth iteration on.
#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "moblo/base/error.hpp"
#include "moblo/methods/registry.hpp"
#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::losses {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
using Losses = std::vector<torch::Tensor>;

Outcome with_upper(const std::function<Losses(TwoTargets&)>& losses) {
  TwoTargets problem;
  problem.upper_function = [&] { return losses(problem); };
  return trained(problem);
}
Outcome with_lower(const std::function<torch::Tensor(TwoTargets&)>& loss) {
  TwoTargets problem;
  problem.lower_function = [&] { return loss(problem); };
  return trained(problem);
}
/// F_1 as it should be, and F_2 replaced.
Outcome with_second(const std::function<torch::Tensor(TwoTargets&)>& second) {
  return with_upper([&](TwoTargets& p) { return Losses{p.both()[0], second(p)}; });
}
/// F_2 replaced from the fifth iteration on.
Outcome with_second_later(const std::function<torch::Tensor(TwoTargets&)>& second) {
  return with_second([&](TwoTargets& p) { return p.upper_calls > late ? second(p) : p.both()[1]; });
}

// -- from the start -------------------------------------------------------------------------------------------------

MISUSE("losses: F_2 is no scalar", refused("F_2", "must be a scalar"),
       { return with_second([](auto& p) { return p.w * 2; }); });
MISUSE("losses: f is no scalar", refused("f of shape", "must be a scalar"),
       { return with_lower([](auto& p) { return p.w - p.a; }); });
MISUSE("losses: F_2 has no elements", refused("F_2", "must be a scalar"),
       { return with_second([](auto& p) { return p.w.narrow(0, 0, 0); }); });
MISUSE("losses: F_2 is undefined", refused("F_2", "undefined"),
       { return with_second([](auto&) { return torch::Tensor(); }); });
MISUSE("losses: f is undefined", refused("f", "undefined"),
       { return with_lower([](auto&) { return torch::Tensor(); }); });
MISUSE("losses: F_2 is detached", refused("F_2", "gradient"),
       { return with_second([](auto& p) { return p.both()[1].detach(); }); });
MISUSE("losses: F_2 is made of a number", refused("F_2", "gradient"),
       { return with_second([](auto& p) { return torch::tensor(p.both()[1].item().toDouble(), torch::kFloat64); }); });
MISUSE("losses: F_2 is computed under NoGradGuard", refused("F_2", "gradient"), {
  return with_second([](auto& p) {
    const torch::NoGradGuard no_grad;
    return p.both()[1];
  });
});
MISUSE("losses: F_2 depends on a tensor that is no parameter", refused("F_2", "gradient"), {
  const auto stranger = torch::full({2}, 2.0, torch::requires_grad().dtype(torch::kFloat64));
  return with_second([&](auto& p) { return p.half_square(stranger - p.second); });
});
MISUSE("losses: f is detached", refused("lower_loss", "does not depend"),
       { return with_lower([](auto& p) { return p.gap().detach(); }); });
MISUSE("losses: f is computed under NoGradGuard", refused("lower_loss", "does not depend"), {
  return with_lower([](auto& p) {
    const torch::NoGradGuard no_grad;
    return p.gap();
  });
});
MISUSE("losses: F_2 is an integer", refused("F_2", "floating-point"),
       { return with_second([](auto& p) { return p.both()[1].to(torch::kInt64); }); });
MISUSE("losses: F_2 is complex", refused("F_2", "floating-point"),
       { return with_second([](auto& p) { return p.both()[1].to(torch::kComplexDouble); }); });
MISUSE("losses: F_2 is on the device meta", refused("F_2", "device"), {
  return with_second([](auto&) {
    return torch::zeros({}, torch::TensorOptions(torch::kMeta).dtype(torch::kFloat64).requires_grad(true));
  });
});
MISUSE("losses: F_2 is NaN", refused("F_2", "finite"),
       { return with_second([](auto& p) { return p.both()[1] * nan; }); });
MISUSE("losses: f is infinite", refused("f = inf", "finite"),
       { return with_lower([](auto& p) { return p.gap() + infinite; }); });
MISUSE("losses: F_2 is finite, its gradient is not", refused("F_2", "gradient", "finite") | status("F_2", "gradient"),
       { return with_second([](auto& p) { return (p.w - p.w.detach()).sum().sqrt(); }); });
MISUSE("losses: no F", refused("no objective"), { return with_upper([](auto&) { return Losses(); }); });
MISUSE("losses: F_2 in single precision, parameters in double", right(),
       { return with_second([](auto& p) { return p.both()[1].to(torch::kFloat32); }); });
MISUSE("losses: data in double, parameters in single precision", right(), {
  TwoTargets problem(TwoTargets::filled, torch::kFloat32);
  problem.first = problem.first.to(torch::kFloat64);
  problem.second = problem.second.to(torch::kFloat64);
  return trained(problem);
});

// -- from the fifth iteration on ------------------------------------------------------------------------------------

MISUSE("losses, later: F_2 is NaN", status("non_finite", "F_2"),
       { return with_second_later([](auto& p) { return p.both()[1] * nan; }); });
MISUSE("losses, later: F_2 is infinite", status("non_finite", "F_2"),
       { return with_second_later([](auto& p) { return p.both()[1] + infinite; }); });
MISUSE("losses, later: f is NaN", status("non_finite", "f"),
       { return with_lower([](auto& p) { return p.gap() * (p.upper_calls > late ? nan : 1); }); });
MISUSE("losses, later: F_2 is no scalar", status("F_2", "must be a scalar"),
       { return with_second_later([](auto& p) { return p.w * 2; }); });
MISUSE("losses, later: F_2 is undefined", status("F_2", "undefined"),
       { return with_second_later([](auto&) { return torch::Tensor(); }); });
MISUSE("losses, later: F_2 is detached", status("F_2", "gradient"),
       { return with_second_later([](auto& p) { return p.both()[1].detach(); }); });
MISUSE("losses, later: F_2 is an integer", status("F_2", "floating-point"),
       { return with_second_later([](auto& p) { return p.both()[1].to(torch::kInt64); }); });
MISUSE("losses, later: F_2 in half precision", status("F_2") | right(),
       { return with_second_later([](auto& p) { return p.both()[1].to(torch::kHalf); }); });
MISUSE("losses, later: F_2 is on the device meta", status("F_2", "device"), {
  return with_second_later([](auto&) {
    return torch::zeros({}, torch::TensorOptions(torch::kMeta).dtype(torch::kFloat64).requires_grad(true));
  });
});
MISUSE("losses, later: f is no scalar", status("f of shape", "must be a scalar"),
       { return with_lower([](auto& p) { return p.upper_calls > late ? p.w - p.a : p.gap(); }); });
MISUSE("losses, later: f is detached", status("has no gradient"),
       { return with_lower([](auto& p) { return p.upper_calls > late ? p.gap().detach() : p.gap(); }); });

/// Another number of losses, by a method of the catalogue.
Outcome with_losses_later(const std::string& name, const std::function<void(TwoTargets&, Losses&)>& change) {
  const bool lower_loop =
      name != "mgda" && name != "ew" && name != "gmoba" && name != "wc_penalty" && name != "forum_single";
  TwoTargets problem;
  problem.given_traits.tasks = true;
  problem.upper_function = [&] {
    auto losses = problem.both();
    if (problem.upper_calls > late) change(problem, losses);
    return losses;
  };
  Json options = Json::object();
  if (lower_loop) options = {{"inner_steps", 20}, {"inner_step_size", 0.3}};
  const auto method = make_method(name, options);
  const bool searches = name == "nsga2" || name == "tpe";
  return trained(problem, *method, enough(searches ? 30 : 300));
}

[[maybe_unused]] const bool other_numbers = [] {
  for (const std::string name : {"forum", "bome", "bvfim", "moml", "moco", "autolambda", "f2sa", "gmoba", "morbit",
                                 "wc_penalty", "forum_single", "nsga2", "tpe", "mgda", "ew"}) {
    add_case("losses, later: a third F, " + name, status("failed", "upper_losses", "3", "2"), [=] {
      return with_losses_later(name, [](TwoTargets& p, Losses& l) { l.push_back(p.half_square(p.w + 9)); });
    });
    add_case("losses, later: one F is gone, " + name, status("failed", "upper_losses", "1", "2"),
             [=] { return with_losses_later(name, [](TwoTargets&, Losses& l) { l.pop_back(); }); });
    add_case("losses, later: no F at all, " + name, status("failed", "upper_losses", "0", "2"),
             [=] { return with_losses_later(name, [](TwoTargets&, Losses& l) { l.clear(); }); });
  }
  return true;
}();

// -- exceptions -----------------------------------------------------------------------------------------------------

struct NoStandardException {};

const std::vector<std::pair<std::string, void (*)()>> throwers{
    {"std::runtime_error", [] { throw std::runtime_error("my loss"); }},
    {"c10::Error", [] { TORCH_CHECK(false, "my loss"); }},
    {"std::bad_alloc", [] { throw std::bad_alloc(); }},
    {"moblo::Error", [] { throw Error(ErrorKind::data, "my loss", "is broken", ""); }},
    {"int", [] { throw 42; }},
    {"a class of the user's", [] { throw NoStandardException(); }}};

[[maybe_unused]] const bool exceptions = [] {
  for (const auto& [type, raise] : throwers) {
    const bool speaks = type != "int" && type != "a class of the user's" && type != "std::bad_alloc";
    const std::string word = speaks ? "my loss" : "";
    add_case("losses: upper_losses throws " + type, refused(word) | status("failed", word),
             [=] { return with_upper([&](auto& p) { return raise(), p.both(); }); });
    add_case("losses, later: upper_losses throws " + type, status("failed", word),
             [=] { return with_upper([&](auto& p) { return p.upper_calls > late ? raise() : void(), p.both(); }); });
    add_case("losses, later: lower_loss throws " + type, status("failed", word),
             [=] { return with_lower([&](auto& p) { return p.upper_calls > late ? raise() : void(), p.gap(); }); });
  }
  return true;
}();

}  // namespace
}  // namespace moblo::misuse::losses
