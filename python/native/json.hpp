#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "moblo/base/json.hpp"
#include "moblo/problem/snapshot.hpp"

namespace moblo::python {

/// Plain values: None, bool, numbers (of NumPy too), strings, lists, dicts, and objects with a method `_as_options`.
/// Throws Error(config) in the name of `place` for anything else.
Json to_json(pybind11::handle value, const std::string& place);
pybind11::object from_json(const Json& value);

/// A state as {"values": ..., "tensors": ...}, for torch.save, and back.
pybind11::dict state_dict(const Snapshot& state);
Snapshot snapshot_of(const pybind11::dict& state);

}  // namespace moblo::python
