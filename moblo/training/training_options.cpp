#include "moblo/training/training_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "moblo/base/error.hpp"

namespace moblo::training {

const OptionTable<ScheduleOptions>& ScheduleOptions::table() {
  static const auto table = [] {
    using O = ScheduleOptions;
    OptionTable<O> t;
    t.add("kind", &O::kind, "how the step size changes over the run");
    t.add("every", &O::every, "step: iterations between two drops", at_least(1));
    t.add("factor", &O::factor, "step, plateau: what a drop multiplies with", {0, 1, true, false});
    t.add("floor", &O::floor, "cosine, plateau: the least factor", within(0, 1));
    t.add("patience", &O::patience, "plateau: evaluations in a row without a better model after which it drops",
          at_least(0));
    t.add("power", &O::power, "power: (k+1)^-power", at_least(0));
    t.add("warmup", &O::warmup, "iterations of linear growth at the start", at_least(0));
    return t;
  }();
  return table;
}

double ScheduleOptions::at(std::int64_t k, std::int64_t iterations, std::int64_t drops) const {
  if (k < warmup) return static_cast<double>(k + 1) / static_cast<double>(warmup);
  const auto since = static_cast<double>(k - warmup);
  switch (kind) {
    case ScheduleKind::constant:
      return 1;
    case ScheduleKind::step:
      return std::pow(factor, static_cast<double>((k - warmup) / every));
    case ScheduleKind::cosine: {
      const double share = std::min(1.0, since / static_cast<double>(std::max<std::int64_t>(1, iterations - warmup)));
      return floor + (1 - floor) * (1 + std::cos(std::numbers::pi * share)) / 2;
    }
    case ScheduleKind::power:
      return std::pow(since + 1, -power);
    case ScheduleKind::plateau:
      return std::max(floor, std::pow(factor, static_cast<double>(drops)));
  }
  return 1;
}

const OptionTable<OptimiserOptions>& OptimiserOptions::table() {
  static const auto table = [] {
    using O = OptimiserOptions;
    OptionTable<O> t;
    t.add("kind", &O::kind, "the update rule");
    t.add("step_size", &O::step_size, "mu, the step size", above(0));
    t.add("momentum", &O::momentum, "momentum: v = momentum v + g", at_least_below(0, 1));
    t.add("beta1", &O::beta1, "adam, adamw: decay of the first moment", at_least_below(0, 1));
    t.add("beta2", &O::beta2, "adam, adamw: decay of the second moment", at_least_below(0, 1));
    t.add("epsilon", &O::epsilon, "adam, adamw: added to the root of the second moment", above(0));
    t.add("weight_decay", &O::weight_decay,
          "adds weight_decay times the variable to its gradient; adamw: shrinks the variable beside the step",
          at_least(0));
    t.add("clip", &O::clip, "largest length of the level's gradient, a longer one is scaled down; 0 = off",
          at_least(0));
    t.nest("schedule", &O::schedule, ScheduleOptions::table());
    return t;
  }();
  return table;
}

const OptionTable<OptimiserPair>& OptimiserPair::table() {
  static const auto table = [] {
    OptionTable<OptimiserPair> t;
    t.nest("alpha", &OptimiserPair::alpha, OptimiserOptions::table());
    t.nest("omega", &OptimiserPair::omega, OptimiserOptions::table());
    return t;
  }();
  return table;
}

const OptionTable<StopOptions>& StopOptions::table() {
  static const auto table = [] {
    using O = StopOptions;
    OptionTable<O> t;
    t.add("kkt", &O::kkt, "end where K(z) is at most this and q(z) at most stop.q; 0 = off", at_least(0));
    t.add("q", &O::q, "see stop.kkt; 0 with stop.kkt > 0 asks for K(z) alone", at_least(0));
    t.add("patience", &O::patience, "end after so many iterations without progress of the mean upper loss; 0 = off",
          at_least(0));
    t.add("min_progress", &O::min_progress, "relative decrease that counts as progress", at_least(0));
    t.add("seconds", &O::seconds,
          "end after so much wall time; a refit takes what is left, a tenth of it at most; 0 = off", at_least(0));
    t.add("gradients", &O::gradients,
          "end after so many gradients of f and F_i, a product with second derivatives counted as two; 0 = off",
          at_least(0));
    return t;
  }();
  return table;
}

const OptionTable<TrainingOptions>& TrainingOptions::table() {
  static const auto table = [] {
    using O = TrainingOptions;
    OptionTable<O> t;
    t.add("iterations", &O::iterations, "K, upper iterations", at_least(1));
    t.add("checkpoint_every", &O::checkpoint_every, "iterations between two checkpoints; 0 = only at the end",
          at_least(0));
    t.add("evaluate_every", &O::evaluate_every,
          "iterations between two evaluations of the metrics; 0 = only at the end", at_least(0));
    t.add("record_every", &O::record_every, "iterations between two records", at_least(1));
    t.add("tensorboard", &O::tensorboard, "whether a run folder also gets an event file for TensorBoard");
    t.add("select", &O::select,
          "metric by which the best model so far is kept, e.g. \"select accuracy\"; empty = none");
    t.add("refit", &O::refit,
          "after a run on two levels, solve the lower level again at its alpha: from omega_0, from omega, or not");
    t.add("refit_steps", &O::refit_steps, "lower steps of the refit; 0 = a tenth of the run, counted in gradients",
          at_least(0));
    t.nest("optimiser", &O::optimiser, OptimiserPair::table());
    t.nest("stop", &O::stop, StopOptions::table());
    return t;
  }();
  return table;
}

void TrainingOptions::refuse_contradictions(const OptionPlace& place) const {
  if (stop.q > 0 && stop.kkt == 0) {
    throw Error(ErrorKind::config, fmt::format("{} = {}", place.child("stop").child("q").text(), stop.q),
                "has no effect: stop.kkt is 0", "Give stop.kkt as well");
  }
  const auto waits = [](const OptimiserOptions& level) { return level.schedule.kind == ScheduleKind::plateau; };
  if (select.empty() && (waits(optimiser.alpha) || waits(optimiser.omega))) {
    throw Error(ErrorKind::config, place.child("optimiser").text() + ": schedule.kind = \"plateau\"",
                "nothing says which model is better: select is empty",
                "Write for example select = \"select accuracy\" and evaluate_every = 50");
  }
  if (select.empty() || evaluate_every > 0) return;
  throw Error(ErrorKind::config, fmt::format("{} = \"{}\"", place.child("select").text(), select),
              "there is nothing to select from: evaluate_every is 0", "Write for example evaluate_every = 50");
}

}  // namespace moblo::training
