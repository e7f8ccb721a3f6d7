#include "moblo/gradients/lower_rows.hpp"

#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/random_state.hpp"

namespace moblo::gradients {

LowerRowsBorrowed::LowerRowsBorrowed(BilevelProblem& problem, const std::function<Batch()>& batch)
    : lower_(problem.lower()) {
  if (!lower_.has_rows()) return;
  const torch::NoGradGuard no_grad;
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(lower_);
  const problem::SlicesPaused values_only(problem.upper());
  const auto random_state = torch_random_state();
  lower_.gather_slices();
  try {
    lower_loss(problem, batch());
    lower_.borrow_rows();
  } catch (...) {
    lower_.close_slices();
    throw;
  }
  set_torch_random_state(random_state);
}

}  // namespace moblo::gradients
