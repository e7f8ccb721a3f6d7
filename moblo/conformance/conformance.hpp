#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::conformance {

/// A problem with known truth, and how near to it a method has to come.
struct MOBLO_API ConformanceCase {
  std::string name, problem;
  Json options = Json::object();
  std::uint64_t seed = 0;
  TrainingOptions training;
  std::int64_t inner_steps = 30;  ///< of gradient descent that solve its lower problem well enough ...
  double inner_step_size = 1.0;   ///< ... with this step size
  double distance = 1e-2;         ///< to the solution set, at the end
};

struct MOBLO_API ConformanceResult {
  std::string name;
  double start_distance = 0, end_distance = 0;
  bool reached = false;     ///< the distance is within the case's bound
  bool descended = false;   ///< K(z) and q(z) at the end are below those at the start
  bool on_simplex = false;  ///< every record's weights are non-negative and sum to one
  bool resumable = false;   ///< a run broken late and restored elsewhere ends at the same bits
  std::string message;      ///< of the run, where it failed

  bool passed() const { return reached && descended && on_simplex && resumable; }
};

/// The cases that every method is tested on: the paper's problem from three starts, quadratics well and badly
/// conditioned, with one objective and with many, a non-convex one from three basins, problems with a known front.
MOBLO_API std::vector<ConformanceCase> conformance_cases();

/// A fresh method for a problem; step counts and sizes may depend on it.
using MethodFactory = std::function<std::unique_ptr<Method>(const ConformanceCase&)>;

MOBLO_API ConformanceResult check_conformance(const ConformanceCase& entry, const MethodFactory& make);

}  // namespace moblo::conformance
