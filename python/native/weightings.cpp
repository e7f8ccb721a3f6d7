#include "python/native/weightings.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <optional>
#include <vector>

#include "moblo/aggregation/aggregate.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/methods/task_backward.hpp"
#include "moblo/methods/weighting_steps.hpp"
#include "python/native/gil.hpp"
#include "python/native/json.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

torch::Tensor to_tensor(const Eigen::VectorXd& values) {
  auto out = torch::empty({values.size()}, torch::kFloat64);
  Eigen::Map<Eigen::VectorXd>(out.data_ptr<double>(), values.size()) = values;
  return out;
}

Eigen::VectorXd to_vector(const std::optional<torch::Tensor>& given) {
  if (!given) return {};
  const auto values = given->detach().to(torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(values.data_ptr<double>(), values.numel());
}

Eigen::MatrixXd to_gramian(const torch::Tensor& given) {
  if (given.dim() != 2) {
    throw Error(ErrorKind::data, fmt::format("a Gramian of {} dimensions", given.dim()), "must have two",
                "Give J @ J.T");
  }
  const auto values = given.detach().to(torch::kFloat64).contiguous();
  const Eigen::Map<const TaskGradients> matrix(values.data_ptr<double>(), values.size(0), values.size(1));
  return semidefinite_gramian(matrix, "the Gramian");
}

class PythonWeighting {
 public:
  PythonWeighting(const std::string& name, const py::dict& given)
      : info_(find_weighting(name, "weighting")),
        options_(info_.resolve(to_json(given, name), {nullptr, name})),
        weighting_(info_.make(options_)) {}

  torch::Tensor weigh(const torch::Tensor& gramian, const std::optional<torch::Tensor>& losses,
                      std::int64_t epoch_length) {
    if (weighting_->needs().entries) {
      throw Error(ErrorKind::usage, info_.name, "rewrites the gradients themselves: a Gramian is not enough",
                  "Call moblo.aggregate with the gradients");
    }
    const auto products = to_gramian(gramian);
    start(products.rows());
    TaskStep step = next_step(epoch_length);
    step.losses = to_vector(losses);
    refuse_missing_losses(step);
    return finished(aggregate_gramian(*weighting_, products, step).weights);
  }

  torch::Tensor aggregate(const torch::Tensor& rows, const std::optional<torch::Tensor>& losses,
                          std::int64_t epoch_length) {
    if (rows.dim() == 2) start(rows.size(0));
    TaskStep step = next_step(epoch_length);
    step.losses = to_vector(losses);
    const auto out = without_gil([&] { return moblo::aggregate(*weighting_, rows, step); });
    finished(out.weights);
    return out.direction;
  }

  torch::Tensor backward(const std::vector<torch::Tensor>& losses, const std::vector<torch::Tensor>& shared,
                         const std::vector<std::vector<torch::Tensor>>& heads, std::int64_t epoch_length) {
    start(static_cast<Eigen::Index>(losses.size()));
    const TaskStep step = next_step(epoch_length);
    return finished(without_gil([&] { return moblo::backward(*weighting_, losses, {shared, heads}, step); }));
  }

  void observe(const torch::Tensor& losses) {
    if (!weighting_->needs().losses_after) {
      throw Error(ErrorKind::usage, info_.name, "does not look at the losses after a step", "Leave the call out");
    }
    if (!awaits_losses_) {
      throw Error(ErrorKind::usage, info_.name, "has made no step since the last call", "Call backward first");
    }
    weighting_->observe_after(to_vector(losses));
    awaits_losses_ = false;
  }

  py::object options() const { return from_json(options_); }
  std::string status() const { return last_.status; }
  double residual() const { return last_.residual; }
  py::dict needs() const {
    const auto needs = weighting_->needs();
    py::dict out;
    out["gramian"] = needs.gramian;
    out["entries"] = needs.entries;
    out["losses"] = needs.losses;
    out["losses_after"] = needs.losses_after;
    out["samples"] = needs.samples;
    return out;
  }

  py::dict save() const {
    Snapshot state;
    if (weighting_->tasks() > 0) methods::save_weighting(*weighting_, state);
    py::dict out = state_dict(state);
    out["tasks"] = weighting_->tasks();
    out["k"] = k_;
    out["awaits_losses"] = awaits_losses_;
    return out;
  }

  void restore(const py::dict& state) {
    const auto tasks = state["tasks"].cast<Eigen::Index>();
    auto fresh = info_.make(options_);
    if (tasks > 0) {
      fresh->start(tasks);
      methods::restore_weighting(snapshot_of(state), *fresh);
    }
    weighting_ = std::move(fresh);
    k_ = state["k"].cast<std::int64_t>();
    awaits_losses_ = state["awaits_losses"].cast<bool>();
  }

 private:
  /// At the first call; later ones must have as many tasks.
  void start(Eigen::Index rows) {
    const int samples = weighting_->needs().samples;
    if (weighting_->tasks() > 0) return;
    if (rows == 0 || rows % samples != 0) {
      throw Error(ErrorKind::data, fmt::format("{} gradients", rows),
                  fmt::format("{} needs those of {} independent batches", info_.name, samples),
                  "Give one per task and batch, batch by batch");
    }
    weighting_->start(rows / samples);
  }

  TaskStep next_step(std::int64_t epoch_length) const {
    if (awaits_losses_) {
      throw Error(ErrorKind::usage, info_.name, "learns from the losses of the same batch after the step",
                  "Call weighting.observe(losses) after optimiser.step()");
    }
    if (epoch_length < 1) {
      throw Error(ErrorKind::config, fmt::format("epoch_length = {}", epoch_length), "must be at least 1",
                  "Say how many steps make an epoch");
    }
    return {.k = k_, .epoch_length = epoch_length, .losses = {}, .gramian = {}};
  }

  void refuse_missing_losses(const TaskStep& step) const {
    if (!weighting_->needs().losses || step.losses.size() == weighting_->tasks()) return;
    throw Error(ErrorKind::data, fmt::format("{} losses", step.losses.size()),
                fmt::format("{} depends on those of all {} tasks", info_.name, weighting_->tasks()), "Give losses=...");
  }

  torch::Tensor finished(const TaskWeights& weights) {
    last_ = weights;
    ++k_;
    awaits_losses_ = weighting_->needs().losses_after;
    return to_tensor(weights.shared);
  }

  const WeightingInfo& info_;
  Json options_;
  std::unique_ptr<Weighting> weighting_;
  std::int64_t k_ = 0;
  bool awaits_losses_ = false;
  TaskWeights last_;
};

}  // namespace

void bind_weightings(py::module_& module) {
  py::class_<PythonWeighting>(module, "Weighting")
      .def(py::init<const std::string&, const py::dict&>(), py::arg("name"), py::arg("options"))
      .def("weigh", &PythonWeighting::weigh, py::arg("gramian"), py::arg("losses"), py::arg("epoch_length"))
      .def("aggregate", &PythonWeighting::aggregate, py::arg("rows"), py::arg("losses"), py::arg("epoch_length"))
      .def("backward", &PythonWeighting::backward, py::arg("losses"), py::arg("shared"), py::arg("heads"),
           py::arg("epoch_length"))
      .def("observe", &PythonWeighting::observe, py::arg("losses"))
      .def("save", &PythonWeighting::save)
      .def("restore", &PythonWeighting::restore, py::arg("state"))
      .def_property_readonly("options", &PythonWeighting::options)
      .def_property_readonly("status", &PythonWeighting::status)
      .def_property_readonly("residual", &PythonWeighting::residual)
      .def_property_readonly("needs", &PythonWeighting::needs);
}

}  // namespace moblo::python
