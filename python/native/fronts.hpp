#pragma once

#include <pybind11/pybind11.h>

namespace moblo::python {

/// front.
void bind_fronts(pybind11::module_& module);

}  // namespace moblo::python
