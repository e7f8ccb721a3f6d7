#pragma once

#include <pybind11/pybind11.h>

namespace moblo::python {

/// call() while other Python threads may run. Autograd refuses to be called with the GIL held.
template <class Call>
auto without_gil(Call call) {
  const pybind11::gil_scoped_release released;
  return call();
}

}  // namespace moblo::python
