#pragma once

#include <pybind11/pybind11.h>

namespace moblo::python {

/// A weighting with its state, for gradients and losses of a loop that is not ours.
void bind_weightings(pybind11::module_& module);

}  // namespace moblo::python
