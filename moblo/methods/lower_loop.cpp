#include "moblo/methods/lower_loop.hpp"

namespace moblo::methods {

void LowerLoop::save(Snapshot& to) const {
  to.values["objectives"] = objectives_;
  if (solve_.start.defined()) to.tensors["initial_omega"] = solve_.start;
}

void LowerLoop::restore(const Snapshot& from) {
  objectives_ = from.values.at("objectives").get<std::int64_t>();
  if (solve_.start.defined()) solve_.start = from.tensors.at("initial_omega");
}

}  // namespace moblo::methods
