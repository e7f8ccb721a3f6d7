#include "moblo/training/refit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/gradients/lower_steps.hpp"
#include "moblo/training/optimiser.hpp"
#include "moblo/training/selection.hpp"
#include "moblo/training/torch_generator.hpp"

namespace moblo::training {
namespace {

/// Streams go back to where they were.
class PositionsKept {
 public:
  explicit PositionsKept(BilevelProblem& problem)
      : problem_(problem), upper_(problem.upper_batches().position()), lower_(problem.lower_batches().position()) {}
  ~PositionsKept() {
    problem_.upper_batches().seek(upper_);
    problem_.lower_batches().seek(lower_);
  }
  PositionsKept(const PositionsKept&) = delete;
  PositionsKept& operator=(const PositionsKept&) = delete;

 private:
  BilevelProblem& problem_;
  std::int64_t upper_, lower_;
};

/// Per-row lower parameters go back to what they were; `start` is what they are meanwhile.
class RowsKept {
 public:
  RowsKept(ParameterPack& lower, const std::vector<torch::Tensor>& start) : lower_(lower) {
    const torch::NoGradGuard no_grad;
    if (!start.empty() && start.size() != lower.tables().size()) {
      throw Error(ErrorKind::config, fmt::format("RefitOptions::start_rows with {} tensors", start.size()),
                  fmt::format("the lower level has {} tables of rows", lower.tables().size()),
                  "Give one for each, or none");
    }
    for (std::size_t i = 0; i < lower.tables().size(); ++i) {
      kept_.push_back(lower.tables()[i].values.clone());
      if (!start.empty()) lower.tables()[i].values.copy_(start[i]);
    }
  }
  ~RowsKept() {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < kept_.size(); ++i) lower_.tables()[i].values.copy_(kept_[i]);
  }
  RowsKept(const RowsKept&) = delete;
  RowsKept& operator=(const RowsKept&) = delete;

 private:
  ParameterPack& lower_;
  std::vector<torch::Tensor> kept_;
};

/// The model that the problem is bound to. Batches come from the start of the streams, so that two models see the same.
records::RefitModel measure(BilevelProblem& problem, std::int64_t objectives, std::int64_t most_batches) {
  const torch::NoGradGuard no_grad;
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  records::RefitModel model;
  model.losses.assign(static_cast<std::size_t>(objectives), 0);
  const auto upper = std::min(most_batches, problem.upper_batches().epoch_length());
  for (std::int64_t i = 0; i < upper; ++i) {
    const auto losses = gradients::upper_losses(problem, problem.upper_batches().at(i), objectives);
    for (std::size_t j = 0; j < losses.size(); ++j) model.losses[j] += losses[j].item().toDouble();
  }
  for (auto& loss : model.losses) loss /= static_cast<double>(upper);
  const auto lower = std::min(most_batches, problem.lower_batches().epoch_length());
  for (std::int64_t i = 0; i < lower; ++i) {
    model.lower_loss += gradients::lower_loss(problem, problem.lower_batches().at(i)).item().toDouble();
  }
  model.lower_loss /= static_cast<double>(lower);
  model.metrics = problem.evaluate();
  return model;
}

/// Steps end early enough for the second model to be measured too, which takes as long as the first did.
class TimeLeft {
 public:
  explicit TimeLeft(double seconds) : seconds_(seconds) {}
  void measured_joint_model() { measuring_ = watch_.seconds(); }
  bool over() const { return seconds_ > 0 && watch_.seconds() + measuring_ >= seconds_; }

 private:
  double seconds_, measuring_ = 0;
  base::Stopwatch watch_;
};

torch::Tensor start_of(BilevelProblem& problem, const RefitOptions& options) {
  const auto& now = problem.lower().values();
  if (!options.start.defined()) return now.detach().clone();
  if (options.start.numel() != now.numel() || options.start.scalar_type() != now.scalar_type()) {
    throw Error(ErrorKind::config, fmt::format("RefitOptions::start with {} values", options.start.numel()),
                fmt::format("omega has {}, of type {}", now.numel(), c10::toString(now.scalar_type())),
                "Give a copy of problem.lower().values() from before the run, or none");
  }
  return options.start.detach().clone().view({-1});
}

}  // namespace

const OptionTable<RefitOptions>& RefitOptions::table() {
  static const auto table = [] {
    using O = RefitOptions;
    OptionTable<O> t;
    t.add("steps", &O::steps, "gradient steps on the lower loss", at_least(0));
    t.nest("optimiser", &O::optimiser, OptimiserOptions::table());
    t.add("select", &O::select, "metric by which the best model on the way is reported; empty = the last");
    t.add("evaluations", &O::evaluations, "moments at which select is looked at", at_least(1));
    t.add("most_batches", &O::most_batches, "batches over which losses are averaged, at most", at_least(1));
    t.add("seconds", &O::seconds, "wall time that it may take; 0 = no bound", at_least(0));
    return t;
  }();
  return table;
}

void RefitOptions::start_here(BilevelProblem& problem) {
  start = problem.lower().values().detach().clone();
  for (const auto& table : problem.lower().tables()) start_rows.push_back(table.values.clone());
}

RefitOptions refit_options(const TrainingOptions& run) {
  RefitOptions options;
  options.optimiser = run.optimiser.omega;
  if (options.optimiser.schedule.kind == ScheduleKind::plateau) options.optimiser.schedule = {};
  options.select = run.select;
  return options;
}

std::optional<records::Refit> refit(BilevelProblem& problem, const RefitOptions& given, const std::atomic<bool>* stop) {
  const auto options = RefitOptions::table().checked(given, {nullptr, "refit"});
  const TorchGenerator generator;
  const auto shape = gradients::check_contract(problem);
  const PositionsKept positions(problem);
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  const problem::SlicesPaused values_only(problem.upper());

  TimeLeft time(options.seconds);
  records::Refit result;
  result.from = options.start.defined() ? "fresh" : "current";
  result.joint = measure(problem, shape.m, options.most_batches);
  time.measured_joint_model();
  auto omega = start_of(problem, options);
  const RowsKept rows_kept(problem.lower(), options.start_rows);
  const problem::BoundElsewhere there(problem.lower(), omega);
  Optimisers optimisers({.alpha = {}, .omega = options.optimiser}, problem, options.steps);
  Selection selection(options.select);
  auto& batches = problem.lower_batches();
  batches.seek(0);
  const std::int64_t stride = std::max<std::int64_t>(1, options.steps / options.evaluations);
  for (std::int64_t t = 0; t < options.steps; ++t) {
    if (stop && *stop) return std::nullopt;
    if (time.over()) break;
    optimisers.begin(t);
    {
      const gradients::LowerRowsBorrowed rows(problem);
      optimisers.update_lower(-gradients::lower_gradient(problem, batches.next()));
    }
    ++result.steps;
    if (!selection.wanted() || (t + 1) % stride != 0) continue;
    const Evaluation here{t + 1, problem.evaluate()};
    if (t + 1 == stride) selection.refuse_unknown_metric(here);
    if (!selection.offer(here, problem)) continue;
    result.alone = measure(problem, shape.m, options.most_batches);
    result.steps_of_model = t + 1;
  }
  if (options.steps > 0 && result.steps == 0) return std::nullopt;
  if (!result.steps_of_model) {
    result.alone = measure(problem, shape.m, options.most_batches);
    result.steps_of_model = result.steps;
  }
  return result;
}

}  // namespace moblo::training
