#include "python/native/runs.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "moblo/gradients/gradient_check.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/thinning.hpp"
#include "moblo/training/refit.hpp"
#include "moblo/training/run.hpp"
#include "moblo/training/solver.hpp"
#include "python/native/errors.hpp"
#include "python/native/gil.hpp"
#include "python/native/interrupt.hpp"
#include "python/native/json.hpp"
#include "python/native/problem.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

template <class Options>
Options options_of(const py::dict& given) {
  Options options;
  Options::table().read(to_json(given, ""), options, {});
  return options;
}

std::unique_ptr<Method> method_of(const std::string& name, const py::dict& options) {
  return make_method(name, to_json(options, name));
}

py::dict to_python(const StepRecord& record) {
  py::dict out;
  out["k"] = record.k;
  out["losses"] = record.losses;
  out["lower_loss"] = record.lower_loss;
  out["q"] = record.q;
  out["kkt"] = record.kkt;
  out["weights"] = record.weights;
  out["solved_weights"] = record.solved_weights;
  out["nu"] = record.nu;
  out["gradient_norms"] = record.gradient_norms;
  out["conflict_cosines"] = record.conflict_cosines;
  out["qp_status"] = record.qp_status;
  out["qp_residual"] = record.qp_residual;
  out["distance"] = record.distance;
  return out;
}

py::object to_python(const std::optional<Refit>& refit) {
  return refit ? from_json(records::to_json(*refit)) : py::none();
}

/// A row per record; empty where the vectors of the records differ in length.
template <class Vector>
std::optional<torch::Tensor> matrix_of(const std::vector<StepRecord>& records, Vector StepRecord::*field) {
  const std::size_t width = records.empty() ? 0 : (records.front().*field).size();
  auto out =
      torch::empty({static_cast<std::int64_t>(records.size()), static_cast<std::int64_t>(width)}, torch::kFloat64);
  auto* at = out.data_ptr<double>();
  for (const auto& record : records) {
    if ((record.*field).size() != width) return std::nullopt;
    at = std::copy((record.*field).begin(), (record.*field).end(), at);
  }
  return out;
}

template <class Read>
torch::Tensor column_of(const std::vector<StepRecord>& records, Read read) {
  auto out = torch::empty({static_cast<std::int64_t>(records.size())}, torch::kFloat64);
  std::transform(records.begin(), records.end(), out.data_ptr<double>(), read);
  return out;
}

/// Curves, as tensors: of all records, or of a choice that keeps their shape where there are very many.
py::dict columns_of(const std::vector<StepRecord>& records) {
  py::dict out;
  out["k"] = column_of(records, [](const StepRecord& r) { return static_cast<double>(r.k); }).to(torch::kInt64);
  out["losses"] = matrix_of(records, &StepRecord::losses);
  out["weights"] = matrix_of(records, &StepRecord::weights);
  out["lower_loss"] = column_of(records, [](const StepRecord& r) { return r.lower_loss; });
  out["q"] = column_of(records, [](const StepRecord& r) { return r.q; });
  out["kkt"] = column_of(records, [](const StepRecord& r) { return r.kkt; });
  out["nu"] = column_of(records, [](const StepRecord& r) { return r.nu; });
  return out;
}

/// Keeps curves, calls the user back, and lets Ctrl-C through while no Python code runs.
class PythonObserver : public RunObserver {
 public:
  PythonObserver(py::object on_step, py::object on_evaluation)
      : on_step_(std::move(on_step)), on_evaluation_(std::move(on_evaluation)) {}

  void iterating(std::int64_t) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return;
    looked_ = now;
    InterruptScope::look_for_signals();
  }
  void stepped(const StepRecord& record, const StepTiming&) override {
    history_.add(record);
    call(on_step_, [&] { return py::object(to_python(record)); });
  }
  void evaluated(const Evaluation& evaluation) override {
    evaluations_.push_back(evaluation);
    call(on_evaluation_, [&] { return to_python(evaluation); });
  }

  const std::atomic<bool>& stop() const { return stop_; }
  py::dict history() { return columns_of(history_.take()); }
  py::list evaluations() const {
    py::list out;
    for (const auto& evaluation : evaluations_) out.append(to_python(evaluation));
    return out;
  }

 private:
  static py::object to_python(const Evaluation& evaluation) {
    py::dict metrics;
    for (const auto& [name, value] : evaluation.metrics) metrics[py::str(name)] = value;
    return py::make_tuple(evaluation.k, metrics);
  }
  static py::dict to_python(const StepRecord& record) { return python::to_python(record); }

  template <class Argument>
  void call(const py::object& callback, const Argument& argument) {
    if (callback.is_none()) return;
    const py::gil_scoped_acquire gil;
    interruptible([&] {
      if (callback(argument()).is(py::bool_(false))) stop_ = true;
    });
  }

  py::object on_step_, on_evaluation_;
  std::atomic<bool> stop_{false};
  std::chrono::steady_clock::time_point looked_{};
  records::StepThinner history_;
  std::vector<Evaluation> evaluations_;
};

/// (summary, history, evaluations, whether Ctrl-C ended it)
py::tuple train_python(BilevelProblem& problem, const std::string& method_name, const py::dict& method_options,
                       const py::dict& training_options, const std::optional<std::filesystem::path>& folder,
                       py::object on_step, py::object on_evaluation) {
  const auto method = method_of(method_name, method_options);
  const auto options = options_of<TrainingOptions>(training_options);
  PythonObserver observer(std::move(on_step), std::move(on_evaluation));
  std::exception_ptr failure;
  RunControl control;
  control.observers = {&observer};
  control.stop_requested = &observer.stop();
  control.failure = &failure;
  const InterruptScope scope;
  const Summary summary = without_gil([&] {
    return folder ? train_in_folder(*folder, problem, *method, options, control)
                  : train(problem, *method, options, control);
  });
  rethrow_if_python(failure);
  return py::make_tuple(summary_dict(summary), observer.history(), observer.evaluations(), scope.interrupted());
}

class PythonSolver {
 public:
  PythonSolver(BilevelProblem& problem, const std::string& method_name, const py::dict& method_options,
               const py::dict& training_options, const std::optional<py::dict>& state)
      : method_(method_of(method_name, method_options)) {
    const auto options = options_of<TrainingOptions>(training_options);
    const auto snapshot = state ? std::optional(snapshot_of(*state)) : std::nullopt;
    solver_ = without_gil(
        [&] { return std::make_unique<Solver>(problem, *method_, options, snapshot ? &*snapshot : nullptr); });
  }

  py::dict step() {
    return to_python(without_gil([&] { return solver_->step(); }));
  }
  py::dict summary() {
    return summary_dict(without_gil([&] { return solver_->summary(); }));
  }
  py::dict save() {
    return state_dict(without_gil([&] { return solver_->save(); }));
  }
  std::int64_t k() const { return solver_->k(); }

 private:
  std::unique_ptr<Method> method_;
  std::unique_ptr<Solver> solver_;
};

py::object refit_python(BilevelProblem& problem, const py::dict& given) {
  const auto options = options_of<RefitOptions>(given);
  return to_python(without_gil([&] { return refit(problem, options); }));
}

py::dict check_gradients_python(BilevelProblem& problem, std::int64_t coordinates, std::uint64_t seed,
                                std::optional<double> tolerance) {
  const auto report = without_gil(
      [&] { return check_gradients(problem, {.coordinates = coordinates, .seed = seed, .tolerance = tolerance}); });
  py::list rows;
  for (const auto& row : report.worst) {
    py::dict out;
    out["loss"] = row.loss;
    out["parameter"] = row.parameter;
    out["coordinate"] = row.coordinate;
    out["analytic"] = row.analytic;
    out["numeric"] = row.numeric;
    out["error"] = row.error();
    rows.append(out);
  }
  py::dict out;
  out["worst"] = rows;
  out["compared"] = report.compared;
  out["largest_error"] = report.largest_error;
  out["passed"] = report.passed;
  return out;
}

py::dict evaluate_python(BilevelProblem& problem) {
  py::dict out;
  for (const auto& [name, value] : without_gil([&] { return problem.evaluate(); })) out[py::str(name)] = value;
  return out;
}

}  // namespace

py::dict summary_dict(const Summary& summary) {
  py::dict out;
  out["status"] = std::string(name(summary.status));
  out["message"] = summary.message;
  out["iterations"] = summary.iterations;
  out["seconds"] = summary.seconds;
  out["warnings"] = summary.warnings;
  out["losses"] = summary.losses;
  out["lower_loss"] = summary.lower_loss;
  out["q"] = summary.q;
  out["kkt"] = summary.kkt;
  out["weights"] = summary.weights;
  out["nu"] = summary.nu;
  out["alpha"] = summary.alpha;
  out["omega"] = summary.omega;
  out["refit"] = to_python(summary.refit);
  const auto value = [&](const char* key) {
    return summary.final_state.is_object() ? from_json(summary.final_state.value(key, Json())) : py::object(py::none());
  };
  out["objectives"] = value("objectives");
  out["distance"] = value("distance");
  out["selected"] = value("selected");
  return out;
}

void bind_runs(py::module_& module) {
  module.def("train", &train_python, py::arg("problem"), py::arg("method"), py::arg("method_options"),
             py::arg("training_options"), py::arg("folder"), py::arg("on_step"), py::arg("on_evaluation"));
  module.def("refit", &refit_python, py::arg("problem"), py::arg("options"));
  module.def("evaluate", &evaluate_python, py::arg("problem"));
  module.def("check_gradients", &check_gradients_python, py::arg("problem"), py::arg("coordinates"), py::arg("seed"),
             py::arg("tolerance"));
  py::class_<PythonSolver>(module, "Solver")
      .def(py::init<BilevelProblem&, const std::string&, const py::dict&, const py::dict&,
                    const std::optional<py::dict>&>(),
           py::arg("problem"), py::arg("method"), py::arg("method_options"), py::arg("training_options"),
           py::arg("state"), py::keep_alive<1, 2>())
      .def("step", &PythonSolver::step)
      .def("summary", &PythonSolver::summary)
      .def("save", &PythonSolver::save)
      .def_property_readonly("k", &PythonSolver::k);
}

}  // namespace moblo::python
