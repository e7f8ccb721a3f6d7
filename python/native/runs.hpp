#pragma once

#include <pybind11/pybind11.h>

namespace moblo::python {

/// train, Solver, refit and check_gradients.
void bind_runs(pybind11::module_& module);

}  // namespace moblo::python
