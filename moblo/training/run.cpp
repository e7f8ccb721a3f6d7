#include "moblo/training/run.hpp"

#include <fmt/format.h>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

/// What tells one run from another: the method, and the names and sizes of all variables.
Json identity_of(BilevelProblem& problem, const Method& method) {
  const auto shapes = [](ParameterPack& pack) {
    Json all = Json::object();
    const auto pieces = pack.pieces(pack.values());
    for (std::size_t i = 0; i < pieces.size(); ++i) all[pack.names()[i]] = pieces[i].sizes().vec();
    for (const auto& table : pack.tables()) all[table.name] = table.values.sizes().vec();
    return all;
  };
  return {{"method", method.name()}, {"alpha", shapes(problem.upper())}, {"omega", shapes(problem.lower())}};
}

Manifest manifest_of(BilevelProblem& problem, const Method& method, const TrainingOptions& options) {
  const auto shape = gradients::check_contract(problem);
  Manifest manifest;
  manifest.created = base::utc_now();
  manifest.title = method.name();
  manifest.config = {{"method", method.name()}};
  manifest.config.update(TrainingOptions::table().write(options));
  manifest.runtime = base::describe_runtime();
  manifest.problem = {{"m", shape.m}, {"n", shape.n}, {"p", shape.p}};
  manifest.datasets = problem.provenance();
  return manifest;
}

void refuse_foreign(const Json& state, const std::string& identity, const std::filesystem::path& folder) {
  if (state.is_object() && state.contains("fingerprint") && state["fingerprint"] == identity) return;
  throw Error(ErrorKind::checkpoint, folder.string(), "holds a run of another method, or of another problem",
              "Name another folder, or delete it");
}

}  // namespace

Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method& method,
                        const TrainingOptions& given, const RunControl& control) {
  const auto options = TrainingOptions::table().checked(given, {});
  const auto identity = identity_of(problem, method).dump();
  const auto manifest = manifest_of(problem, method, options);
  std::optional<Snapshot> state;
  std::int64_t first_k = 0;
  const bool known = records::is_run_folder(folder);
  if (known && records::has_checkpoint(folder)) {
    const auto checkpoint = records::load_checkpoint(folder);
    refuse_foreign(checkpoint.content.state, identity, folder);
    state = to_snapshot(checkpoint.content);
    first_k = checkpoint.next_k;
  }
  auto run_folder =
      known ? records::RunFolder::reopen(folder, manifest, first_k) : records::RunFolder::create(folder, manifest);
  FolderObserver writer(run_folder, problem, identity);
  RunControl run = control;
  run.observers.insert(run.observers.begin(), &writer);
  run.resume = state ? &*state : nullptr;
  return train(problem, method, options, run);
}

Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method&& method,
                        const TrainingOptions& options, const RunControl& control) {
  return train_in_folder(folder, problem, method, options, control);
}

}  // namespace moblo::training
