#pragma once

#include <cstdint>
#include <string>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"

namespace moblo::training {

enum class OptimiserKind { sgd, momentum, adam, adamw };
/// After a run on two levels, the lower level is solved again at its alpha: from omega_0, from omega, or not at
/// all.
enum class RefitStart { fresh, current, off };
enum class ScheduleKind { constant, step, cosine, power, plateau };

/// Factor on the step size at iteration k.
struct MOBLO_API ScheduleOptions {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t every = 100;   ///< step: iterations between two drops
  double factor = 0.5;        ///< step, plateau: what a drop multiplies with
  double floor = 0;           ///< cosine, plateau: where it ends, as a factor
  std::int64_t patience = 5;  ///< plateau: evaluations without a better model after which it drops
  double power = 0.5;         ///< power: (k+1)^-power
  std::int64_t warmup = 0;    ///< iterations of linear growth from 1/warmup to 1 before all of it

  static const OptionTable<ScheduleOptions>& table();
  /// `iterations` is the length of the run, for the cosine; `drops` those of the plateau so far.
  double at(std::int64_t k, std::int64_t iterations, std::int64_t drops = 0) const;
};

struct MOBLO_API OptimiserOptions {
  OptimiserKind kind = OptimiserKind::sgd;
  double step_size = 0.1;   ///< mu
  double momentum = 0.9;    ///< momentum: v = momentum v + g
  double beta1 = 0.9;       ///< adam, adamw
  double beta2 = 0.999;     ///< adam, adamw
  double epsilon = 1e-8;    ///< adam, adamw
  double weight_decay = 0;  ///< adds weight_decay z to the gradient; adamw: shrinks z beside the step instead
  double clip = 0;          ///< a longer gradient of the level is scaled to this length; 0 = off
  ScheduleOptions schedule{};

  static const OptionTable<OptimiserOptions>& table();
};

struct MOBLO_API OptimiserPair {
  OptimiserOptions alpha{}, omega{};
  static const OptionTable<OptimiserPair>& table();
};

/// A run ends at the first of these that holds; 0 switches one off.
struct MOBLO_API StopOptions {
  double kkt = 0;              ///< K(z) at most this ...
  double q = 0;                ///< ... and |q(z)| at most this
  std::int64_t patience = 0;   ///< plateau: so many iterations without progress of the mean upper loss
  double min_progress = 1e-4;  ///< plateau: what counts as progress, relative
  double seconds = 0;          ///< wall time of the run over all resumes, and of its refit
  std::int64_t gradients = 0;  ///< passes over all resumes, a second-order product counted as two; not the refit's

  static const OptionTable<StopOptions>& table();
};

struct MOBLO_API TrainingOptions {
  std::int64_t iterations = 1000;        ///< K
  std::int64_t checkpoint_every = 100;   ///< iterations between two checkpoints; 0 = only at the end
  std::int64_t evaluate_every = 0;       ///< iterations between two evaluations of the problem's metrics
  std::int64_t record_every = 1;         ///< iterations between two lines of steps.jsonl
  bool tensorboard = true;               ///< an event file for TensorBoard beside the records
  std::string select{};                  ///< the model with the largest value of this metric is kept; empty = none
  RefitStart refit = RefitStart::fresh;  ///< see the enum; it takes a tenth of the run, unless refit_steps says more
  std::int64_t refit_steps = 0;          ///< lower steps of the refit; 0 = a tenth of the run, counted in gradients
  OptimiserPair optimiser{};
  StopOptions stop{};

  static const OptionTable<TrainingOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

constexpr auto enum_names(OptimiserKind) {
  return std::array{std::pair{"sgd", OptimiserKind::sgd}, std::pair{"momentum", OptimiserKind::momentum},
                    std::pair{"adam", OptimiserKind::adam}, std::pair{"adamw", OptimiserKind::adamw}};
}
constexpr auto enum_names(RefitStart) {
  return std::array{std::pair{"fresh", RefitStart::fresh}, std::pair{"current", RefitStart::current},
                    std::pair{"off", RefitStart::off}};
}
constexpr auto enum_names(ScheduleKind) {
  return std::array{std::pair{"constant", ScheduleKind::constant}, std::pair{"step", ScheduleKind::step},
                    std::pair{"cosine", ScheduleKind::cosine}, std::pair{"power", ScheduleKind::power},
                    std::pair{"plateau", ScheduleKind::plateau}};
}

}  // namespace moblo::training

namespace moblo {

using training::OptimiserKind;
using training::OptimiserOptions;
using training::OptimiserPair;
using training::RefitStart;
using training::ScheduleKind;
using training::ScheduleOptions;
using training::StopOptions;
using training::TrainingOptions;

}  // namespace moblo
