#include "moblo/methods/lower_states.hpp"

#include "moblo/methods/diagnostics.hpp"

namespace moblo::methods {

void LowerStates::start(BilevelProblem& problem, std::int64_t objectives, const std::string& method,
                        const torch::Tensor& values) {
  if (problem.lower().has_rows()) {
    throw Error(ErrorKind::problem, "method " + method,
                "carries lower states from step to step, and the lower level has one row per task",
                "Choose a method with a lower loop: forum, moml, moco, morbit or autolambda");
  }
  objectives_ = objectives;
  values_ = values.clone();
}

void LowerStates::save(Snapshot& to) const {
  to.values["objectives"] = objectives_;
  to.tensors["lower_states"] = values_;
}

void LowerStates::restore(const Snapshot& from) {
  refuse_other_objectives(from, objectives_);
  values_ = problem::tensor_like(from, "lower_states", values_);
}

}  // namespace moblo::methods
