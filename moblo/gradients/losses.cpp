#include "moblo/gradients/losses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "moblo/base/error.hpp"

namespace moblo::gradients {
namespace {

[[noreturn]] void refuse_loss(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::problem, given, rule, next);
}

void refuse_without_gradient(const torch::Tensor& loss, const std::string& name) {
  if (loss.requires_grad() || !torch::GradMode::is_enabled()) return;
  refuse_loss(name, "has no gradient",
              "Compute it from the tensors or modules that were added, without detach(), item() or NoGradGuard");
}

}  // namespace

void refuse_bad_loss(const torch::Tensor& loss, const std::string& name) {
  if (!loss.defined()) refuse_loss(name, "is an undefined tensor", "Return a scalar tensor");
  if (loss.numel() != 1) {
    refuse_loss(fmt::format("{} of shape {}", name, fmt::join(loss.sizes(), " x ")), "must be a scalar",
                "Reduce it with .mean() or .sum()");
  }
  if (!loss.is_floating_point()) {
    refuse_loss(name, "must be of a floating-point type", "Convert it to that of the parameters");
  }
  if (!loss.device().is_cpu()) {
    refuse_loss(fmt::format("{} on device {}", name, loss.device().str()), "must be on the CPU", "Move it there");
  }
}

std::vector<torch::Tensor> upper_losses(BilevelProblem& problem, const Batch& batch, std::int64_t objectives) {
  auto losses = problem.upper_losses(batch);
  if (static_cast<std::int64_t>(losses.size()) != objectives) {
    refuse_loss(fmt::format("upper_losses gave {} objectives", losses.size()),
                fmt::format("there were {} at the start, and their number must not change", objectives),
                "Return the same objectives for every batch");
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto name = fmt::format("F_{}", i + 1);
    refuse_bad_loss(losses[i], name);
    refuse_without_gradient(losses[i], name);
  }
  return losses;
}

torch::Tensor lower_loss(BilevelProblem& problem, const Batch& batch) {
  auto loss = problem.lower_loss(batch);
  refuse_bad_loss(loss, "f");
  refuse_without_gradient(loss, "f");
  return loss;
}

}  // namespace moblo::gradients
