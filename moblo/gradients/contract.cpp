#include "moblo/gradients/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "moblo/base/error.hpp"
#include "moblo/gradients/tensor_memory.hpp"

namespace moblo {
namespace {

[[noreturn]] void refuse(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::problem, given, rule, next);
}

void check_loss(const torch::Tensor& loss, const std::string& name) {
  if (!loss.defined()) refuse(name, "is an undefined tensor", "Return a scalar tensor");
  if (loss.numel() != 1) {
    std::string shape;
    for (const auto size : loss.sizes()) shape += (shape.empty() ? "" : " x ") + std::to_string(size);
    refuse(fmt::format("{} of shape {}", name, shape), "must be a scalar", "Reduce it with .mean() or .sum()");
  }
  if (!loss.is_floating_point())
    refuse(name, "must be of a floating-point type", "Convert it to that of the parameters");
  if (!std::isfinite(loss.item().toDouble())) {
    throw Error(ErrorKind::numeric, fmt::format("{} = {} at the starting point", name, loss.item().toDouble()),
                "must be finite", "Start elsewhere, or check the data for NaN");
  }
}

/// torch's own text for shape mismatches and the like is kept, without its stack.
template <class Evaluate>
auto evaluate(const std::string& name, Evaluate loss) {
  try {
    return loss();
  } catch (const c10::Error& error) {
    refuse(name, fmt::format("cannot be evaluated: {}", error.what_without_backtrace()),
           "Check the shapes and types of parameters and data");
  }
}

void check_packs(BilevelProblem& problem) {
  if (problem.lower().empty()) refuse("the lower level", "has no parameters", "Add tensors or modules to lower_");
  if (problem.upper().empty()) refuse("the upper level", "has no parameters", "Add tensors or modules to upper_");
  if (problem.lower().has_rows()) {
    refuse("the lower level", "has per-sample parameters", "Only the upper level may add_rows; use add");
  }
  if (problem.upper().options().dtype() != problem.lower().options().dtype()) {
    refuse("upper and lower parameters", "are of two floating-point types", "Give both levels the same dtype");
  }
}

void check_dependence(const torch::Tensor& loss, BilevelProblem& problem) {
  auto& leaves = problem.lower().leaves();
  bool depends = loss.requires_grad();
  if (depends) {
    const auto gradients = torch::autograd::grad({loss}, leaves, {}, false, false, /*allow_unused=*/true);
    depends = std::any_of(gradients.begin(), gradients.end(), [](const auto& g) { return g.defined(); });
  }
  if (!depends) {
    refuse("lower_loss", "does not depend on any lower parameter",
           "Compute it from the tensors or modules that were added to lower_, without detach() or data()");
  }
}

std::int64_t check_upper(BilevelProblem& problem, const Batch& batch) {
  const auto losses = evaluate("upper_losses", [&] { return problem.upper_losses(batch); });
  if (losses.empty()) refuse("upper_losses", "gave no objective", "Return at least one loss");
  for (std::size_t i = 0; i < losses.size(); ++i) check_loss(losses[i], fmt::format("F_{}", i + 1));
  return static_cast<std::int64_t>(losses.size());
}

void check_lower(BilevelProblem& problem, const Batch& batch) {
  const auto loss = evaluate("lower_loss", [&] { return problem.lower_loss(batch); });
  check_loss(loss, "f");
  check_dependence(loss, problem);
}

}  // namespace

ProblemShape check_contract(BilevelProblem& problem) {
  check_packs(problem);
  const auto upper_position = problem.upper_batches().position();
  const auto lower_position = problem.lower_batches().position();
  auto generator = at::detail::getDefaultCPUGenerator();
  const auto random_state = generator.get_state();
  const BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());

  problem.upper().values();  // torch complains of tensors that are freed under the count but older than it
  problem.lower().values();
  const Batch upper_batch = problem.upper_batches().next(), lower_batch = problem.lower_batches().next();
  const TensorMemory memory;
  const std::int64_t objectives = check_upper(problem, upper_batch);
  check_lower(problem, lower_batch);

  generator.set_state(random_state);
  problem.upper_batches().seek(upper_position);
  problem.lower_batches().seek(lower_position);
  return {objectives, problem.upper().size(), problem.lower().size(), memory.most_bytes()};
}

}  // namespace moblo
