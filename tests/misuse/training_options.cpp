// TrainingOptions that no file would get past the option table, or that contradict one another.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tests/misuse/misuse.hpp"

namespace moblo::misuse::training_options {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

using Change = void (*)(TrainingOptions&, double);

Outcome trained_with(const TrainingOptions& options) {
  TwoTargets problem;
  Forum forum(forum_options());
  return trained(problem, forum, options);
}

/// One case a value, refused by what a file is told.
bool bad(const std::string& key, std::initializer_list<double> values, Change change) {
  const auto last = key.substr(key.rfind('.') + 1);
  for (const double value : values) {
    const std::string rule = std::isfinite(value) ? "is out of range" : "a finite number is needed";
    add_case(fmt::format("training options: {} = {:g}", key, value), refused(last, rule), [=] {
      auto options = enough();
      change(options, value);
      return trained_with(options);
    });
  }
  return true;
}

[[maybe_unused]] const bool of_the_run = [] {
  using O = TrainingOptions;
  bad("iterations", {0, -5}, [](O& o, double v) { o.iterations = static_cast<std::int64_t>(v); });
  bad("record_every", {0, -1}, [](O& o, double v) { o.record_every = static_cast<std::int64_t>(v); });
  bad("checkpoint_every", {-1}, [](O& o, double v) { o.checkpoint_every = static_cast<std::int64_t>(v); });
  bad("evaluate_every", {-1}, [](O& o, double v) { o.evaluate_every = static_cast<std::int64_t>(v); });
  bad("stop.kkt", {-1, nan}, [](O& o, double v) { o.stop.kkt = v; });
  bad("stop.q", {-1, nan}, [](O& o, double v) {
    o.stop.kkt = 1e-3;
    o.stop.q = v;
  });
  bad("stop.patience", {-1}, [](O& o, double v) { o.stop.patience = static_cast<std::int64_t>(v); });
  bad("stop.min_progress", {-1, nan}, [](O& o, double v) {
    o.stop.patience = 20;
    o.stop.min_progress = v;
  });
  bad("stop.seconds", {-1, nan, infinite}, [](O& o, double v) { o.stop.seconds = v; });
  bad("stop.gradients", {-1}, [](O& o, double v) { o.stop.gradients = static_cast<std::int64_t>(v); });
  return true;
}();

[[maybe_unused]] const bool of_the_optimisers = [] {
  using O = TrainingOptions;
  bad("optimiser.omega.step_size", {-0.1, 0, nan, infinite}, [](O& o, double v) { o.optimiser.omega.step_size = v; });
  bad("optimiser.alpha.step_size", {-0.1, 0, nan}, [](O& o, double v) { o.optimiser.alpha.step_size = v; });
  bad("optimiser.omega.momentum", {-0.1, 1, 1.5, nan}, [](O& o, double v) {
    o.optimiser.omega.kind = OptimiserKind::momentum;
    o.optimiser.omega.momentum = v;
  });
  bad("optimiser.omega.beta1", {-0.1, 1, nan}, [](O& o, double v) {
    o.optimiser.omega.kind = OptimiserKind::adam;
    o.optimiser.omega.beta1 = v;
  });
  bad("optimiser.omega.beta2", {-0.1, 1}, [](O& o, double v) {
    o.optimiser.omega.kind = OptimiserKind::adam;
    o.optimiser.omega.beta2 = v;
  });
  bad("optimiser.omega.epsilon", {0, -1, nan}, [](O& o, double v) {
    o.optimiser.omega.kind = OptimiserKind::adam;
    o.optimiser.omega.epsilon = v;
  });
  bad("optimiser.omega.weight_decay", {-1, nan}, [](O& o, double v) { o.optimiser.omega.weight_decay = v; });
  return true;
}();

[[maybe_unused]] const bool of_the_schedules = [] {
  using O = TrainingOptions;
  bad("optimiser.omega.schedule.every", {0, -1}, [](O& o, double v) {
    o.optimiser.omega.schedule = {.kind = ScheduleKind::step, .every = static_cast<std::int64_t>(v)};
  });
  bad("optimiser.omega.schedule.factor", {0, -1, 2, nan},
      [](O& o, double v) { o.optimiser.omega.schedule = {.kind = ScheduleKind::step, .every = 10, .factor = v}; });
  bad("optimiser.omega.schedule.floor", {-1, 2, nan},
      [](O& o, double v) { o.optimiser.omega.schedule = {.kind = ScheduleKind::cosine, .floor = v}; });
  bad("optimiser.omega.schedule.power", {-1, nan, infinite},
      [](O& o, double v) { o.optimiser.omega.schedule = {.kind = ScheduleKind::power, .power = v}; });
  bad("optimiser.omega.schedule.warmup", {-1},
      [](O& o, double v) { o.optimiser.omega.schedule.warmup = static_cast<std::int64_t>(v); });
  return true;
}();

MISUSE("training options: optimiser.omega.kind = no choice there is", refused("kind", "is none of"), {
  auto options = enough();
  options.optimiser.omega.kind = static_cast<OptimiserKind>(9);
  return trained_with(options);
});

MISUSE("training options: optimiser.omega.schedule.kind = no choice there is", refused("kind", "is none of"), {
  auto options = enough();
  options.optimiser.omega.schedule.kind = static_cast<ScheduleKind>(9);
  return trained_with(options);
});

MISUSE("training options: optimiser.omega.step_size = 1e300", status("non_finite"), {
  auto options = enough();
  options.optimiser.omega.step_size = 1e300;
  return trained_with(options);
});

// -- contradictions -------------------------------------------------------------------------------------------------

/// With a metric to select by.
class Measured : public TwoTargets {
 public:
  std::vector<std::pair<std::string, double>> evaluate() override { return {{"score", -w[0].item().toDouble()}}; }
};

Outcome measured_with(const TrainingOptions& options) {
  Measured problem;
  Forum forum(forum_options());
  return trained(problem, forum, options);
}

MISUSE("training options: select without evaluate_every", refused("select", "evaluate_every is 0"), {
  auto options = enough();
  options.select = "score";
  return measured_with(options);
});

MISUSE("training options: a plateau schedule without select", refused("plateau", "select is empty"), {
  auto options = enough();
  options.evaluate_every = 10;
  options.optimiser.omega.schedule.kind = ScheduleKind::plateau;
  return measured_with(options);
});

MISUSE("training options: a plateau schedule with patience = -1", refused("patience", "is out of range"), {
  auto options = enough();
  options.evaluate_every = 10;
  options.select = "score";
  options.optimiser.omega.schedule = {.kind = ScheduleKind::plateau, .patience = -1};
  return measured_with(options);
});

MISUSE("training options: select names no metric", refused("select", "no such metric"), {
  auto options = enough();
  options.evaluate_every = 10;
  options.select = "scores";
  return measured_with(options);
});

MISUSE("training options: select on a problem that has no metrics", refused("select", "no such metric"), {
  auto options = enough();
  options.evaluate_every = 10;
  options.select = "score";
  return trained_with(options);
});

MISUSE("training options: stop.q without stop.kkt, which alone asks for it", refused("stop", "kkt"), {
  auto options = enough();
  options.stop.q = 1e-3;
  return trained_with(options);
});

}  // namespace
}  // namespace moblo::misuse::training_options
