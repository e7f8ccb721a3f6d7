#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "moblo/base/error.hpp"
#include "moblo/training/loop.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {

Snapshot Loop::state() {
  Snapshot state;
  save_iterate(problem_, state);
  optimisers_.save(state);
  const Snapshot method = method_.save();
  state.values["method"] = method.values;
  for (const auto& [name, tensor] : method.tensors) state.tensors["method/" + name] = tensor;
  state.values["stopping"] = stopping_.save();
  selection_.save(state);
  const auto& [lower, upper, second_order] = gradients_of_a_step_;
  state.values["gradients_of_a_step"] = {lower, upper, second_order};
  state.values["method_name"] = method_.name();
  state.values["objectives"] = shape_.m;
  state.values["next_k"] = k_;
  state.values["seconds"] = seconds();
  if (iterations_of_start_ > 0) state.values["iterations_of_start"] = iterations_of_start_;
  return state;
}

void Loop::save() {
  const Snapshot now = state();
  notify([&](RunObserver& o) { o.saved(k_, now); });
}

/// After start(): omega_0 of a lower loop or a refit that goes back to it is the problem's own, in every run alike.
void Loop::begin_at(const Snapshot& ended) {
  try {
    load_model(problem_, ended);
    const bool same_method = ended.values.value("method_name", "") == method_.name() &&
                             ended.values.value("objectives", shape_.m) == shape_.m;
    if (same_method) method_.take_over(method_state(ended));
    iterations_of_start_ = std::max(ended.values.value("next_k", std::int64_t{0}),
                                    ended.values.value("iterations_of_start", std::int64_t{0}));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::checkpoint, "the warm start",
                fmt::format("does not hold the state of such a run ({})", error.what()),
                "Give the state of a run on a problem of this shape");
  }
}

void Loop::restore(const Snapshot& state) {
  refuse_foreign(state, method_.name(), shape_.m);
  try {
    restore_iterate(problem_, state);
    optimisers_.restore(state);
    method_.restore(method_state(state));
    stopping_.restore(state.values.at("stopping"));
    selection_.restore(state, problem_);
    if (state.values.contains("gradients_of_a_step")) {
      const auto& counts = state.values["gradients_of_a_step"];
      gradients_of_a_step_ = {counts.at(0), counts.at(1), counts.at(2)};
    }
    k_ = first_k_ = state.values.at("next_k").get<std::int64_t>();
    if (k_ < 0) throw std::out_of_range(fmt::format("next_k = {}", k_));
    seconds_before_ = state.values.at("seconds").get<double>();
    iterations_of_start_ = state.values.value("iterations_of_start", std::int64_t{0});
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::checkpoint, "the checkpoint",
                fmt::format("does not hold the state of such a run ({})", error.what()),
                "Resume with the version and the options that the run was started with");
  }
}

}  // namespace moblo::training
