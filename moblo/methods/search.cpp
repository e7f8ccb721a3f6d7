#include "moblo/methods/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_solve.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo::methods {
namespace {

constexpr double very_bad = 1e100;  // finite: NSGA-II compares and subtracts it

torch::Tensor all_values(ParameterPack& pack) {
  std::vector<torch::Tensor> parts{pack.values().detach().to(torch::kFloat64)};
  for (const auto& table : pack.tables()) parts.push_back(table.values.detach().to(torch::kFloat64).reshape({-1}));
  return torch::cat(parts);
}

void set_values(ParameterPack& pack, const torch::Tensor& all) {
  const torch::NoGradGuard no_grad;
  std::int64_t at = pack.dense_size();
  if (at > 0) pack.values().copy_(all.narrow(0, 0, at));
  for (auto& table : pack.tables()) {
    table.values.copy_(all.narrow(0, at, table.values.numel()).view(table.values.sizes()));
    at += table.values.numel();
  }
}

torch::Tensor tensor_of(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

std::vector<double> shifted(const torch::Tensor& values, double by) {
  const auto moved = (values + by).contiguous();
  return {moved.data_ptr<double>(), moved.data_ptr<double>() + moved.numel()};
}

/// Puts alpha back when it goes.
class AlphaKept {
 public:
  explicit AlphaKept(ParameterPack& pack) : pack_(pack), saved_(all_values(pack)) {}
  ~AlphaKept() { set_values(pack_, saved_); }
  AlphaKept(const AlphaKept&) = delete;
  AlphaKept& operator=(const AlphaKept&) = delete;

 private:
  ParameterPack& pack_;
  torch::Tensor saved_;
};

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

torch::Tensor to_tensor(const std::vector<std::vector<double>>& rows) {
  const auto width = rows.empty() ? 0 : static_cast<std::int64_t>(rows.front().size());
  auto tensor = torch::empty({static_cast<std::int64_t>(rows.size()), width}, torch::kFloat64);
  for (std::size_t i = 0; i < rows.size() && width > 0; ++i) {
    std::memcpy(tensor.data_ptr<double>() + static_cast<std::int64_t>(i) * width, rows[i].data(),
                rows[i].size() * sizeof(double));
  }
  return tensor;
}

std::vector<std::vector<double>> rows_of(const Snapshot& from, const std::string& name, std::int64_t count,
                                         std::size_t width) {
  std::vector<std::vector<double>> rows;
  if (count == 0) return rows;
  const auto columns = static_cast<std::int64_t>(width);
  const auto whole = problem::tensor_like(from, name, torch::empty({count, columns}, torch::kFloat64)).contiguous();
  for (std::int64_t i = 0; i < count; ++i) {
    const double* begin = whole.data_ptr<double>() + i * columns;
    rows.emplace_back(begin, begin + width);
  }
  return rows;
}

void SearchMethod::start(BilevelProblem& problem, std::int64_t objectives) {
  if (problem.lower().has_rows()) {
    throw Error(ErrorKind::problem, fmt::format("method {}", name()),
                "trains a whole model for every alpha, and the lower level has one row per task",
                "Choose a method that moves omega step by step, such as forum or moml");
  }
  objectives_ = static_cast<std::size_t>(objectives);
  initial_omega_ = problem.lower().values().detach().clone();
  initial_alpha_ = all_values(problem.upper());
  low_ = shifted(initial_alpha_, -options_.range);
  high_ = shifted(initial_alpha_, options_.range);
  best_losses_.clear();
}

std::vector<double> SearchMethod::upper_losses(BilevelProblem& problem) const {
  const torch::NoGradGuard no_grad;
  std::vector<double> sums(objectives_, 0);
  for (std::int64_t i = 0; i < options_.upper_evaluations; ++i) {
    const auto losses =
        gradients::upper_losses(problem, problem.upper_batches().next(), static_cast<std::int64_t>(objectives_));
    for (std::size_t j = 0; j < objectives_; ++j) sums[j] += losses[j].item().toDouble();
  }
  for (auto& sum : sums) sum /= static_cast<double>(options_.upper_evaluations);
  return sums;
}

/// K and q need gradients and an inner solution, which nobody computes here: they are not known.
Measurement SearchMethod::measure(const StepContext& context) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  auto& problem = context.problem;
  Measurement here;
  here.record.losses = best_losses_.empty() ? upper_losses(problem) : best_losses_;
  {
    const torch::NoGradGuard no_grad;
    here.record.lower_loss = gradients::lower_loss(problem, problem.lower_batches().next()).item().toDouble();
  }
  if (!std::isfinite(here.record.lower_loss)) {
    throw NotFinite(fmt::format("f(alpha, omega) = {}", here.record.lower_loss));
  }
  here.record.q = here.record.kkt = unknown;
  here.record.weights.assign(objectives_, 1.0 / static_cast<double>(objectives_));
  context.timer.lap("upper losses");
  return here;
}

/// On the first batch, with plain copies of its rows: a step may have others open.
bool SearchMethod::has_finite_lower_loss(BilevelProblem& problem) {
  const torch::NoGradGuard no_grad;
  const problem::SlicesPaused paused(problem.upper());
  return std::isfinite(gradients::lower_loss(problem, problem.lower_batches().at(0)).item().toDouble());
}

std::vector<double> SearchMethod::evaluate(const StepContext& context, const std::vector<double>& alpha) {
  auto& problem = context.problem;
  const AlphaKept kept(problem.upper());
  set_values(problem.upper(), tensor_of(alpha));
  InnerSolve inner;
  inner.steps = options_.inner_steps;
  inner.step_size = options_.inner_step_size;
  inner.from_current = false;
  inner.start = initial_omega_;
  const auto omega = solve_lower(problem, inner);
  context.timer.lap("training");
  const problem::BoundElsewhere there(problem.lower(), omega);
  auto losses = upper_losses(problem);
  context.timer.lap("upper losses");
  const bool finite = std::all_of(losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); });
  if (!finite || !has_finite_lower_loss(problem)) return std::vector<double>(objectives_, very_bad);
  if (best_losses_.empty() || mean_of(losses) < mean_of(best_losses_)) {
    best_losses_ = losses;
    new_alpha_ = alpha;
    new_omega_ = omega;
  }
  return losses;
}

void SearchMethod::move(const Measurement&, const StepContext& context, Updater& updater) {
  new_omega_ = torch::Tensor();
  try_points(context);
  if (!new_omega_.defined()) return;
  set_values(context.problem.upper(), tensor_of(new_alpha_));
  updater.replace_lower(new_omega_);
  new_omega_ = torch::Tensor();
  context.timer.lap("update");
}

std::vector<double> SearchMethod::random_point(std::uint64_t seed) const {
  Rng rng(seed);
  std::vector<double> point;
  point.reserve(low_.size());
  for (std::size_t i = 0; i < low_.size(); ++i) point.push_back(low_[i] + (high_[i] - low_[i]) * rng.uniform());
  return point;
}

Snapshot SearchMethod::save() const {
  Snapshot to;
  to.tensors["initial_alpha"] = initial_alpha_;
  to.tensors["initial_omega"] = initial_omega_;
  to.values["objectives"] = objectives_;
  to.tensors["best_losses"] = tensor_of(best_losses_);
  return to;
}

void SearchMethod::restore(const Snapshot& from) {
  refuse_other_objectives(from, static_cast<std::int64_t>(objectives_));
  initial_alpha_ = problem::tensor_like(from, "initial_alpha", initial_alpha_);
  initial_omega_ = problem::tensor_like(from, "initial_omega", initial_omega_);
  const auto& best = from.tensors.at("best_losses");
  const auto known = best.numel() == 0 ? 0 : static_cast<std::int64_t>(objectives_);
  best_losses_ = shifted(problem::tensor_like(from, "best_losses", torch::empty({known}, torch::kFloat64)), 0);
  low_ = shifted(initial_alpha_, -options_.range);
  high_ = shifted(initial_alpha_, options_.range);
}

}  // namespace moblo::methods
