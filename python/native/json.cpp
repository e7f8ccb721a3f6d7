#include "python/native/json.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include "moblo/base/error.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

std::string child(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

Json integer(py::handle value, const std::string& place) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) {
    throw Error(ErrorKind::config, fmt::format("{} = {}", place, std::string(py::str(value))),
                "does not fit into 64 bits", "Give a smaller number");
  }
  if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
  return static_cast<std::int64_t>(number);
}

Json table(py::handle value, const std::string& place) {
  Json out = Json::object();
  for (const auto& [key, entry] : py::reinterpret_borrow<py::dict>(value)) {
    if (!py::isinstance<py::str>(key)) {
      throw Error(ErrorKind::config, fmt::format("{}: key {}", place, std::string(py::repr(key))), "must be a string",
                  "Name the option");
    }
    const auto name = key.cast<std::string>();
    out[name] = to_json(entry, child(place, name));
  }
  return out;
}

Json list(py::handle value, const std::string& place) {
  Json out = Json::array();
  for (const auto entry : py::reinterpret_borrow<py::sequence>(value)) {
    out.push_back(to_json(entry, fmt::format("{}[{}]", place, out.size())));
  }
  return out;
}

}  // namespace

Json to_json(py::handle value, const std::string& place) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (PyLong_Check(value.ptr())) return integer(value, place);
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (PyDict_Check(value.ptr())) return table(value, place);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) return list(value, place);
  if (py::hasattr(value, "_as_options")) return to_json(value.attr("_as_options")(), place);
  if (py::hasattr(value, "__fspath__")) return value.attr("__fspath__")().cast<std::string>();
  if (py::hasattr(value, "tolist")) return to_json(value.attr("tolist")(), place);  // arrays, tensors, their scalars
  if (PyIndex_Check(value.ptr())) return integer(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())), place);
  throw Error(ErrorKind::config,
              fmt::format("{} = {}", place.empty() ? "an option" : place, std::string(py::repr(value)).substr(0, 80)),
              fmt::format("is a {}", std::string(py::str(py::type::of(value).attr("__name__")))),
              "Give a number, a string, a list or a dict");
}

py::object from_json(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return py::bool_(value.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(value.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(value.get<std::uint64_t>());
    case Json::value_t::number_float:
      return py::float_(value.get<double>());
    case Json::value_t::string:
      return py::str(value.get_ref<const std::string&>());
    case Json::value_t::array: {
      py::list out;
      for (const auto& entry : value) out.append(from_json(entry));
      return out;
    }
    case Json::value_t::object: {
      py::dict out;
      for (const auto& [key, entry] : value.items()) out[py::str(key)] = from_json(entry);
      return out;
    }
    default:
      return py::none();
  }
}

py::dict state_dict(const Snapshot& state) {
  py::dict out;
  out["values"] = from_json(state.values);
  out["tensors"] = state.tensors;
  return out;
}

Snapshot snapshot_of(const py::dict& state) {
  Snapshot snapshot;
  snapshot.values = to_json(state["values"], "state");
  snapshot.tensors = state["tensors"].cast<std::map<std::string, torch::Tensor>>();
  return snapshot;
}

}  // namespace moblo::python
