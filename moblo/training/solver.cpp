#include "moblo/training/solver.hpp"

#include "moblo/training/door.hpp"
#include "moblo/training/in_use.hpp"
#include "moblo/training/loop.hpp"

namespace moblo::training {
namespace {

RunControl resumed_from(const Snapshot* state) {
  RunControl control;
  control.resume = state;
  return control;
}

}  // namespace

struct Solver::Parts {
  Parts(BilevelProblem& problem, Method& method, const TrainingOptions& options, const Snapshot* resume)
      : problem_in_use(&problem, "this problem"),
        method_in_use(&method, "this method"),
        loop((refuse_inference_mode(), problem), method, options, resumed_from(resume)) {}

  InUse problem_in_use, method_in_use;
  Loop loop;
};

Solver::Solver(BilevelProblem& problem, Method& method, const TrainingOptions& options, const Snapshot* resume) {
  const torch::AutoGradMode with_gradients(true);
  warn_once_of_slow_blas();
  parts_ = std::make_unique<Parts>(problem, method, options, resume);
}

Solver::~Solver() = default;

StepRecord Solver::step() {
  refuse_inference_mode();
  const torch::AutoGradMode with_gradients(true);
  return parts_->loop.step();
}

std::int64_t Solver::k() const {
  return parts_->loop.k();
}

Summary Solver::summary() {
  refuse_inference_mode();
  const torch::AutoGradMode with_gradients(true);
  return parts_->loop.summary();
}

Snapshot Solver::save() {
  return parts_->loop.state();
}

}  // namespace moblo::training
