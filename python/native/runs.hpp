#pragma once

#include <pybind11/pybind11.h>

#include "moblo/records/records.hpp"

namespace moblo::python {

/// All that Summary has; what JSON has no word for (NaN) stays a number.
pybind11::dict summary_dict(const Summary& summary);

/// train, Solver, refit and check_gradients.
void bind_runs(pybind11::module_& module);

}  // namespace moblo::python
