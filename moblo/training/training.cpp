#include "moblo/training/training.hpp"

#include "moblo/training/door.hpp"
#include "moblo/training/in_use.hpp"
#include "moblo/training/loop.hpp"
#include "moblo/training/torch_generator.hpp"

namespace moblo::training {

Summary train(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control) {
  const InUse problem_in_use(&problem, "this problem"), method_in_use(&method, "this method");
  refuse_inference_mode();
  const torch::AutoGradMode with_gradients(true);
  refuse_null_observers(control);
  warn_once_of_slow_blas();
  TorchGenerator generator;  // before the losses are first evaluated
  Loop loop(problem, method, options, control);
  if (!loop.draws_random()) generator.release();
  return loop.run();
}

Summary train(BilevelProblem& problem, Method&& method, const TrainingOptions& options, const RunControl& control) {
  return train(problem, method, options, control);
}

}  // namespace moblo::training
