#pragma once

#include <pybind11/pybind11.h>

#include "moblo/training/training.hpp"

namespace moblo::python {

/// Whether this thread is within train(), where Ctrl-C ends the run with its state saved; elsewhere KeyboardInterrupt
/// arrives like any other exception.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  bool interrupted() const { return interrupted_; }
  /// Throws Interrupted where `error` is a KeyboardInterrupt and a scope is open on this thread.
  static void note(const pybind11::error_already_set& error);
  /// Runs Python's signal handlers, which else wait for Python code to be run.
  static void look_for_signals();

 private:
  InterruptScope* outer_;
  bool interrupted_ = false;
};

/// call(), with the GIL held; a KeyboardInterrupt within a run is not an error of the loss.
template <class Call>
auto interruptible(Call call) {
  try {
    return call();
  } catch (const pybind11::error_already_set& error) {
    InterruptScope::note(error);
    throw;
  }
}

}  // namespace moblo::python
