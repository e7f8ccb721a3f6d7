#include "python/native/fronts.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <torch/csrc/utils/pybind.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "moblo/base/error.hpp"
#include "moblo/fronts/front.hpp"
#include "moblo/methods/registry.hpp"
#include "python/native/errors.hpp"
#include "python/native/gil.hpp"
#include "python/native/interrupt.hpp"
#include "python/native/json.hpp"
#include "python/native/problem.hpp"
#include "python/native/runs.hpp"

namespace moblo::python {
namespace py = pybind11;
namespace {

/// Lets Ctrl-C through while no Python code runs.
class Listening : public RunObserver {
 public:
  void iterating(std::int64_t) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return;
    looked_ = now;
    InterruptScope::look_for_signals();
  }

 private:
  std::chrono::steady_clock::time_point looked_{};
};

/// The problem lives as long as the Python object does, which is let go of with the GIL.
std::shared_ptr<BilevelProblem> held_problem(const py::object& problem) {
  if (!py::isinstance<BilevelProblem>(problem)) {
    throw Error(ErrorKind::usage, "front(): make_problem", "did not return a problem",
                "Return a moblo.Problem, a new one each time");
  }
  const std::shared_ptr<py::object> holder(new py::object(problem), [](py::object* object) {
    const py::gil_scoped_acquire gil;
    delete object;
  });
  return {holder, problem.cast<BilevelProblem*>()};
}

/// (front.json's content, a summary per point, a problem per point, whether Ctrl-C ended it)
py::tuple front_python(const py::function& make_problem, const py::function& method_of, const py::dict& options,
                       const py::dict& training, const std::optional<std::filesystem::path>& folder,
                       const py::object& point_ended) {
  FrontOptions front_options;
  FrontOptions::table().read(to_json(options, "front"), front_options, {nullptr, "front"});
  TrainingOptions training_options;
  TrainingOptions::table().read(to_json(training, ""), training_options, {});
  py::list problems;
  const fronts::ProblemFactory new_problem = [&] {
    const py::gil_scoped_acquire gil;
    const py::object made = make_problem();
    problems.append(made);
    return held_problem(made);
  };
  const fronts::MethodFactory new_method = [&](const PointTarget& target) {
    const py::gil_scoped_acquire gil;
    const auto [name, given] =
        method_of(target.preference, from_json(target.limits_json())).cast<std::pair<std::string, py::dict>>();
    return make_method(name, to_json(given, name));
  };
  Listening listening;
  std::exception_ptr failure;
  FrontControl control;
  if (folder) control.folder = *folder;
  control.run.observers = {&listening};
  control.run.failure = &failure;
  control.point_ended = [&](const FrontRecord& front, const Summary&) {
    const py::gil_scoped_acquire gil;
    if (!point_ended.is_none()) point_ended(from_json(records::to_json(front)));
  };
  const InterruptScope scope;
  const Front found =
      without_gil([&] { return front(new_problem, new_method, front_options, training_options, control); });
  rethrow_if_python(failure);
  py::list summaries;
  for (const auto& summary : found.summaries) summaries.append(summary_dict(summary));
  const py::list of_points = problems[py::slice(1, std::nullopt, 1)];  // the first told the objectives
  return py::make_tuple(from_json(records::to_json(found.record)), summaries, of_points, scope.interrupted());
}

}  // namespace

void bind_fronts(py::module_& module) {
  module.def("front", &front_python, py::arg("make_problem"), py::arg("make_method"), py::arg("options"),
             py::arg("training_options"), py::arg("folder"), py::arg("point_ended"));
}

}  // namespace moblo::python
