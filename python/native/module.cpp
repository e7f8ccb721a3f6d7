#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/fronts/front_options.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/refit.hpp"
#include "moblo/training/training_options.hpp"
#include "python/native/errors.hpp"
#include "python/native/fronts.hpp"
#include "python/native/gil.hpp"
#include "python/native/json.hpp"
#include "python/native/problem.hpp"
#include "python/native/runs.hpp"
#include "python/native/weightings.hpp"
#ifdef MOBLO_PYTHON_LAB
#include "lab/problems/registry.hpp"
#else
#include "moblo/conformance/known_problems.hpp"
#endif

namespace moblo::python {
namespace py = pybind11;
namespace {

const std::vector<ProblemInfo>& known_problems() {
#ifdef MOBLO_PYTHON_LAB
  return lab::problems::problem_catalogue();
#else
  static const auto all = conformance::known_problems();
  return all;
#endif
}

py::list fields_of(const std::vector<FieldInfo>& fields) {
  py::list out;
  for (const auto& field : fields) {
    py::dict row;
    row["key"] = field.key;
    row["type"] = field.type;
    row["range"] = field.range;
    row["help"] = field.help;
    row["default"] = from_json(field.default_value);
    out.append(row);
  }
  return out;
}

template <class Info>
py::dict describe(const Info& info) {
  py::dict out;
  out["name"] = info.name;
  out["summary"] = info.summary;
  out["fields"] = fields_of(info.fields);
  if constexpr (requires { info.reference; }) out["reference"] = info.reference;
  return out;
}

template <class Infos>
py::list describe_all(const Infos& infos) {
  py::list out;
  for (const auto& info : infos) out.append(describe(info));
  return out;
}

/// All options with their types, ranges and meanings, as `moblo list` shows them.
py::dict catalogue() {
  py::dict out;
  out["methods"] = describe_all(method_catalogue());
  out["weightings"] = describe_all(weighting_catalogue());
  out["problems"] = describe_all(known_problems());
  out["training"] = fields_of(TrainingOptions::table().fields());
  out["front"] = fields_of(FrontOptions::table().fields());
  out["refit"] = fields_of(training::RefitOptions::table().fields());
  return out;
}

py::object resolve_method(const std::string& name, const py::dict& options) {
  return from_json(find_method(name, "method").resolve(to_json(options, name), {nullptr, name}));
}

/// Of one optimiser: the same rules as `optimiser.omega` of an experiment file.
py::object resolve_optimiser(const py::dict& given) {
  OptimiserOptions options;
  OptimiserOptions::table().read(to_json(given, "optimiser"), options, {nullptr, "optimiser"});
  return from_json(OptimiserOptions::table().write(options));
}

std::shared_ptr<BilevelProblem> make_problem(const std::string& name, const py::dict& options, std::uint64_t seed) {
  for (const auto& info : known_problems()) {
    if (info.name != name) continue;
    const Json resolved = info.resolve(to_json(options, name), {nullptr, name});
    return without_gil([&] { return std::shared_ptr<BilevelProblem>(info.make(resolved, seed)); });
  }
  throw Error(ErrorKind::config, "problem '" + name + "'", "there is no such problem",
              "dir(moblo.problems) lists them");
}

}  // namespace
}  // namespace moblo::python

PYBIND11_MODULE(_native, module) {
  using namespace moblo::python;
  register_errors();
  bind_problem(module);
  bind_runs(module);
  bind_fronts(module);
  bind_weightings(module);
  module.def("catalogue", &catalogue);
  module.def("resolve_method", &resolve_method, py::arg("name"), py::arg("options"));
  module.def("resolve_optimiser", &resolve_optimiser, py::arg("options"));
  module.def("make_problem", &make_problem, py::arg("name"), py::arg("options"), py::arg("seed"));
  module.def("has_checkpoint", &moblo::records::has_checkpoint, py::arg("folder"));
  module.def("version", &moblo::base::version);
}
