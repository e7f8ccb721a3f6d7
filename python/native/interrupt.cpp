#include "python/native/interrupt.hpp"

#include <utility>

namespace moblo::python {
namespace py = pybind11;
namespace {

thread_local InterruptScope* innermost = nullptr;

}  // namespace

InterruptScope::InterruptScope() : outer_(std::exchange(innermost, this)) {}

InterruptScope::~InterruptScope() {
  innermost = outer_;
}

void InterruptScope::note(const py::error_already_set& error) {
  if (!innermost || !error.matches(PyExc_KeyboardInterrupt)) return;
  innermost->interrupted_ = true;
  throw Interrupted();
}

void InterruptScope::look_for_signals() {
  const py::gil_scoped_acquire gil;
  interruptible([] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
}

}  // namespace moblo::python
