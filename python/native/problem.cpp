#include "python/native/problem.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include "moblo/base/error.hpp"
#include "python/native/interrupt.hpp"
#include "python/native/json.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

std::string type_name(py::handle value) {
  return py::str(py::type::of(value).attr("__name__"));
}

/// What the loss of a batch is called with: what the stream made, or the tensors of ours, or None.
py::object argument(const Batch& batch) {
  if (batch.content) return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(batch.content.get()));
  if (batch.parts.empty()) return py::none();
  return py::cast(batch);
}

torch::Tensor loss_of(py::handle value, const char* name) {
  if (THPVariable_Check(value.ptr())) return THPVariable_Unpack(value.ptr());
  throw Error(ErrorKind::problem, fmt::format("{} returned a {}", name, type_name(value)), "must be a scalar tensor",
              "Return what it was computed as, without item() or float()");
}

std::vector<torch::Tensor> losses_of(py::handle value) {
  if (THPVariable_Check(value.ptr())) {
    const auto tensor = THPVariable_Unpack(value.ptr());
    return tensor.dim() == 1 ? tensor.unbind() : std::vector<torch::Tensor>{tensor};
  }
  if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
    throw Error(ErrorKind::problem, fmt::format("upper_losses returned a {}", type_name(value)),
                "must be a list of scalar tensors, or a tensor of one dimension", "Return [F_1, .., F_m]");
  }
  std::vector<torch::Tensor> losses;
  for (const auto loss : py::reinterpret_borrow<py::sequence>(value)) losses.push_back(loss_of(loss, "upper_losses"));
  return losses;
}

/// value is a Python object; released with the GIL.
std::shared_ptr<void> kept(py::object value) {
  return {value.release().ptr(), [](void* object) {
            const py::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(object));
          }};
}

py::handle instance_of(const void* object, const std::type_info& type) {
  return py::detail::get_object_handle(object, py::detail::get_type_info(type));
}

ProblemTraits traits_of(py::dict given) {
  ProblemTraits traits;
  const std::vector<std::pair<const char*, bool*>> fields = {
      {"known_solution_set", &traits.known_solution_set},
      {"strongly_convex_lower", &traits.strongly_convex_lower},
      {"interchangeable_batches", &traits.interchangeable_batches},
      {"tasks", &traits.tasks}};
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    bool known = false;
    for (const auto& [field, place] : fields) {
      if (name != field) continue;
      *place = value.cast<bool>();
      known = true;
    }
    if (!known) {
      throw Error(ErrorKind::problem, fmt::format("trait '{}'", name), "there is no such trait",
                  "Known are known_solution_set, strongly_convex_lower, interchangeable_batches and tasks");
    }
  }
  return traits;
}

void add_module(ParameterPack& pack, const std::string& prefix, py::handle module) {
  const std::string stem = prefix.empty() ? "" : prefix + ".";
  for (const auto item : module.attr("named_parameters")()) {
    const auto [name, tensor] = item.cast<std::pair<std::string, torch::Tensor>>();
    if (tensor.requires_grad()) {
      pack.add(stem + name, tensor);
    } else {
      pack.add_frozen(stem + name, tensor);
    }
  }
  for (const auto item : module.attr("named_buffers")()) {
    const auto [name, tensor] = item.cast<std::pair<std::string, torch::Tensor>>();
    pack.add_buffer(stem + name, tensor);
  }
}

void add(ParameterPack& pack, const std::string& name, py::handle what) {
  if (THPVariable_Check(what.ptr())) return pack.add(name, THPVariable_Unpack(what.ptr()));
  if (py::hasattr(what, "named_parameters")) return add_module(pack, name, what);
  throw Error(ErrorKind::problem, fmt::format("'{}', a {}", name, type_name(what)), "is neither tensor nor nn.Module",
              "Add torch.nn.Parameter(...), a tensor, or a module");
}

torch::Tensor tensor_called(ParameterPack& pack, const std::string& name) {
  for (std::size_t i = 0; i < pack.names().size(); ++i) {
    if (pack.names()[i] == name) return pack.leaves()[i];
  }
  for (const auto& table : pack.tables()) {
    if (table.name == name) return table.values;
  }
  throw py::key_error(name);
}

std::vector<std::string> names_of(ParameterPack& pack) {
  auto names = pack.names();
  for (const auto& table : pack.tables()) names.push_back(table.name);
  return names;
}

const BatchPart& only_part(const Batch& batch) {
  if (batch.parts.size() == 1) return batch.parts[0];
  throw Error(ErrorKind::usage, fmt::format("a batch of {} datasets", batch.parts.size()),
              "has inputs, targets and indices for each of them", "Read them from batch.parts");
}

std::optional<torch::Tensor> if_defined(const torch::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

TensorBatches* make_tensor_batches(const std::vector<std::pair<torch::Tensor, torch::Tensor>>& datasets,
                                   std::int64_t batch_size, std::uint64_t seed) {
  std::vector<TensorDataset> all;
  for (const auto& [inputs, targets] : datasets) all.push_back({inputs, targets});
  return new TensorBatches(std::move(all), batch_size, seed);
}

}  // namespace

py::handle PythonProblem::self() const {
  if (!self_) self_ = instance_of(this, typeid(PythonProblem)).ptr();
  return self_;
}

py::object PythonProblem::optional_call(const char* name) const {
  if (!PyObject_HasAttrString(self().ptr(), name)) return py::none();
  return self().attr(name)();
}

std::vector<torch::Tensor> PythonProblem::upper_losses(const Batch& batch) {
  const py::gil_scoped_acquire gil;
  return interruptible([&] { return losses_of(self().attr("upper_losses")(argument(batch))); });
}

torch::Tensor PythonProblem::lower_loss(const Batch& batch) {
  const py::gil_scoped_acquire gil;
  return interruptible([&] { return loss_of(self().attr("lower_loss")(argument(batch)), "lower_loss"); });
}

std::vector<std::string> PythonProblem::objective_names() const {
  const py::gil_scoped_acquire gil;
  const py::object names = optional_call("objective_names");
  return names.is_none() ? std::vector<std::string>() : names.cast<std::vector<std::string>>();
}

ProblemTraits PythonProblem::traits() const {
  const py::gil_scoped_acquire gil;
  const py::object given = optional_call("traits");
  return given.is_none() ? ProblemTraits() : traits_of(given);
}

std::int64_t PythonProblem::shared_columns() {
  const py::gil_scoped_acquire gil;
  const py::object given = optional_call("shared_columns");
  return given.is_none() ? BilevelProblem::shared_columns() : given.cast<std::int64_t>();
}

std::optional<double> PythonProblem::distance_to_solution_set() {
  const py::gil_scoped_acquire gil;
  return interruptible([&] {
    const py::object given = optional_call("distance_to_solution_set");
    return given.is_none() ? std::nullopt : std::optional(given.cast<double>());
  });
}

std::vector<std::pair<std::string, double>> PythonProblem::evaluate() {
  const py::gil_scoped_acquire gil;
  return interruptible([&] {
    std::vector<std::pair<std::string, double>> metrics;
    const py::object given = optional_call("evaluate");
    if (given.is_none()) return metrics;
    for (const auto& [name, value] : given.cast<py::dict>()) {
      metrics.emplace_back(name.cast<std::string>(), py::float_(py::reinterpret_borrow<py::object>(value)));
    }
    return metrics;
  });
}

Json PythonProblem::provenance() const {
  const py::gil_scoped_acquire gil;
  const py::object given = optional_call("provenance");
  return given.is_none() ? Json::object() : to_json(given, "provenance");
}

Batch PythonBatches::at(std::int64_t number) {
  const py::gil_scoped_acquire gil;
  return interruptible([&] {
    Batch batch;
    batch.number = number;
    batch.content = kept(instance_of(this, typeid(PythonBatches)).attr("at")(number));
    return batch;
  });
}

std::int64_t PythonBatches::epoch_length() const {
  const py::gil_scoped_acquire gil;
  return instance_of(this, typeid(PythonBatches)).attr("epoch_length")().cast<std::int64_t>();
}

void PythonBatches::release_before(std::int64_t number) {
  const py::gil_scoped_acquire gil;
  instance_of(this, typeid(PythonBatches)).attr("release_before")(number);
}

void bind_problem(py::module_& module) {
  py::class_<ParameterPack>(module, "ParameterPack",
                            "The variables of one level: tensors and modules by name. They stay the caller's, and see "
                            "every later value.")
      .def("add", &add, py::arg("name"), py::arg("what"),
           "Adds a floating-point leaf tensor, or the parameters and buffers of an nn.Module.")
      .def("add_buffer", &ParameterPack::add_buffer, py::arg("name"), py::arg("buffer"),
           "Adds a tensor that losses may write to and no gradient moves.")
      .def("add_rows", &ParameterPack::add_rows, py::arg("name"), py::arg("table"),
           "Adds a tensor with one row per sample; losses read it with rows().")
      .def("rows", &ParameterPack::rows, py::arg("name"), py::arg("indices"),
           "The rows of int64 indices: (k,) -> (k, ...). Only they get a gradient in a step.")
      .def("names", &names_of, "The names of all tensors, in their order.")
      .def("__getitem__", &tensor_called)
      .def("__len__", [](ParameterPack& pack) { return names_of(pack).size(); })
      .def_property_readonly("size", &ParameterPack::size);

  py::class_<BatchPart>(module, "BatchPart",
                        "Samples of one dataset: indices (int64), inputs and targets, along the first dimension.")
      .def_property_readonly("indices", [](const BatchPart& part) { return part.indices; })
      .def_property_readonly("inputs", [](const BatchPart& part) { return part.inputs; })
      .def_property_readonly("targets", [](const BatchPart& part) { return if_defined(part.targets); });

  py::class_<Batch>(
      module, "Batch",
      "What a loss is evaluated on: indices, inputs and targets of one dataset, or parts with the same of "
      "each. number: its position in the stream; all_inputs: those of all parts, one below another.")
      .def_readonly("number", &Batch::number)
      .def_readonly("parts", &Batch::parts)
      .def_property_readonly("all_inputs", [](const Batch& batch) { return if_defined(batch.inputs); })
      .def_property_readonly("indices", [](const Batch& batch) { return only_part(batch).indices; })
      .def_property_readonly("inputs", [](const Batch& batch) { return only_part(batch).inputs; })
      .def_property_readonly("targets", [](const Batch& batch) { return if_defined(only_part(batch).targets); });

  py::class_<BatchStream, std::shared_ptr<BatchStream>>(module, "BatchStream")
      .def_property("position", &BatchStream::position, &BatchStream::seek);
  py::class_<TensorBatches, BatchStream, std::shared_ptr<TensorBatches>>(module, "TensorBatches")
      .def(py::init(&make_tensor_batches), py::arg("datasets"), py::arg("batch_size"), py::arg("seed"))
      .def("at", &TensorBatches::at, py::arg("number"))
      .def("epoch_length", &TensorBatches::epoch_length);
  py::class_<PythonBatches, BatchStream, std::shared_ptr<PythonBatches>>(module, "PythonBatches").def(py::init<>());

  py::class_<BilevelProblem, std::shared_ptr<BilevelProblem>>(module, "AnyProblem")
      .def_property_readonly("upper", [](BilevelProblem& p) -> ParameterPack& { return p.upper(); })
      .def_property_readonly("lower", [](BilevelProblem& p) -> ParameterPack& { return p.lower(); });
  py::class_<PythonProblem, BilevelProblem, std::shared_ptr<PythonProblem>>(module, "Problem")
      .def(py::init<>())
      .def("_set_upper_batches", &PythonProblem::set_upper_batches)
      .def("_set_lower_batches", &PythonProblem::set_lower_batches);
}

}  // namespace moblo::python
