#include "python/native/errors.hpp"

#include <torch/csrc/Exceptions.h>
#include <torch/torch.h>

#include "moblo/base/error.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::config:
      return "OptionError";
    case ErrorKind::data:
      return "DataError";
    case ErrorKind::checkpoint:
      return "CheckpointError";
    case ErrorKind::problem:
      return "ProblemError";
    case ErrorKind::io:
      return "FileError";
    case ErrorKind::numeric:
      return "NumericError";
    case ErrorKind::ranks:
      return "RankError";
  }
  return "Error";
}

void raise(const Error& error) {
  const py::object type = py::module_::import("moblo._errors").attr(class_of(error.kind()));
  PyErr_SetString(type.ptr(), error.what());
}

void translate(std::exception_ptr thrown) {
  try {
    rethrow_if_python(thrown);
    std::rethrow_exception(thrown);
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (python_error& error) {  // of a function of Python's within a backward pass
    error.restore();
  } catch (const Error& error) {
    raise(error);
  } catch (const c10::Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what_without_backtrace());
  }
}

}  // namespace

void rethrow_if_python(const std::exception_ptr& failure) {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const py::error_already_set&) {
    throw;
  } catch (const python_error&) {
    throw;
  } catch (const std::nested_exception& outer) {
    rethrow_if_python(outer.nested_ptr());
  } catch (...) {
  }
}

void register_errors() {
  py::register_exception_translator(translate);
}

}  // namespace moblo::python
