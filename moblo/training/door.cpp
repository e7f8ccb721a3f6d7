#include "moblo/training/door.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"

namespace moblo::training {

void refuse_inference_mode() {
  if (!c10::InferenceMode::is_enabled()) return;
  throw Error(ErrorKind::usage, "train()", "is called under InferenceMode, which knows no gradients",
              "Call it outside");
}

void refuse_null_observers(const RunControl& control) {
  for (const auto* observer : control.observers) {
    if (!observer) throw Error(ErrorKind::usage, "RunControl::observers", "holds a null pointer", "Leave it out");
  }
}

void refuse_foreign(const Snapshot& state, const std::string& method, std::int64_t objectives) {
  const auto refuse = [](const std::string& its, const std::string& ours) {
    throw Error(ErrorKind::checkpoint, "the checkpoint", fmt::format("is of {}, and this run is of {}", its, ours),
                "Resume with the problem and the method that the run was started with");
  };
  const auto its_method = state.values.value("method_name", method);  // older ones do not say
  if (its_method != method) refuse("the method " + its_method, method);
  const auto its_objectives = state.values.value("objectives", objectives);
  if (its_objectives != objectives) refuse(fmt::format("{} objectives", its_objectives), fmt::format("{}", objectives));
}

std::vector<std::pair<std::string, double>> first_metrics(BilevelProblem& problem) {
  try {
    return problem.evaluate();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::throw_with_nested(Error(ErrorKind::problem, "evaluate()", fmt::format("cannot be called: {}", error.what()),
                                 "Fix it, or leave select out"));
  } catch (...) {
    throw Error(ErrorKind::problem, "evaluate()", "threw something that is not a std::exception",
                "Fix it, or leave select out");
  }
}

void warn_once_of_slow_blas() {
  static const bool warned = [] {
    const std::string advice =
        base::blas_advice(base::probe_cpu(), base::probe_blas(), std::getenv("OPENBLAS_CORETYPE") != nullptr);
    if (!advice.empty()) fmt::print(stderr, "moblo: warning: {}\n", advice);
    return true;
  }();
  (void)warned;
}

}  // namespace moblo::training
