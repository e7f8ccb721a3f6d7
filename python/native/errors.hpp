#pragma once

#include <pybind11/pybind11.h>

#include <exception>

namespace moblo::python {

/// Errors of the library become the classes of moblo._errors. Where a Python exception caused one, that exception
/// arrives instead, as it was raised.
void register_errors();

/// Rethrows `failure` if a Python exception is behind it; returns otherwise. With the GIL.
void rethrow_if_python(const std::exception_ptr& failure);

}  // namespace moblo::python
