#pragma once

#include <vector>

#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"

namespace moblo::methods {

/// What a run recorded, step by step, and how it ended.
struct Recorded {
  std::vector<StepRecord> records;
  Summary summary;
};

inline TrainingOptions plain_steps(std::int64_t iterations, double alpha_step, double omega_step) {
  TrainingOptions options;
  options.iterations = iterations;
  options.refit = RefitStart::off;
  options.optimiser.alpha.step_size = alpha_step;
  options.optimiser.omega.step_size = omega_step;
  return options;
}

inline Recorded recorded(BilevelProblem& problem, const std::string& name, const Json& options,
                         const TrainingOptions& how) {
  class Watch : public RunObserver {
   public:
    void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
    std::vector<StepRecord> records;
  };
  Watch watch;
  RunControl control;
  control.observers = {&watch};
  const auto method = make_method(name, options);
  Recorded out;
  out.summary = train(problem, *method, how, control);
  out.records = watch.records;
  return out;
}

}  // namespace moblo::methods
