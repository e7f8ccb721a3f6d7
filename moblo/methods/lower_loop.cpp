#include "moblo/methods/lower_loop.hpp"

#include "moblo/base/error.hpp"
#include "moblo/gradients/upper_start.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo::methods {

void LowerLoop::refuse_bad_start(InnerStart start, bool follows_start, BilevelProblem& problem) {
  if (start == InnerStart::initial && problem.lower().has_rows()) {
    throw Error(ErrorKind::problem, "inner_start = \"initial\"",
                "cannot be used where the lower level has one row per task", "Take \"current\" or \"upper\"");
  }
  if (start != InnerStart::upper) return;
  gradients::refuse_without_upper_start(problem);
  if (follows_start || gradients::lower_loss_reads_alpha(problem)) return;
  throw Error(ErrorKind::problem, "inner_start = \"upper\"",
              "gives alpha no gradient here: the method takes w_T for a solution of the lower problem, which does not "
              "depend on its start, and f does not depend on alpha",
              "Take moml, moco or autolambda with hypergradient = \"reverse\" or \"checkpointed\", or add a proximal "
              "term such as |w - alpha|^2 / 2 to f");
}

void LowerLoop::save(Snapshot& to) const {
  to.values["objectives"] = objectives_;
  if (solve_.start.defined()) to.tensors["initial_omega"] = solve_.start;
}

void LowerLoop::restore(const Snapshot& from) {
  refuse_other_objectives(from, objectives_);
  if (solve_.start.defined()) solve_.start = problem::tensor_like(from, "initial_omega", solve_.start);
}

}  // namespace moblo::methods
