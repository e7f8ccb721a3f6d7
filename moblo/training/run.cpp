#include "moblo/training/run.hpp"

#include <fmt/format.h>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/event_observer.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

/// What tells one run from another: the method with its options, and the names and sizes of all variables.
Json identity_of(BilevelProblem& problem, const Method& method) {
  const auto shapes = [](ParameterPack& pack) {
    Json all = Json::object();
    const auto pieces = pack.pieces(pack.values());
    for (std::size_t i = 0; i < pieces.size(); ++i) all[pack.names()[i]] = pieces[i].sizes().vec();
    for (const auto& table : pack.tables()) all[table.name] = table.values.sizes().vec();
    return all;
  };
  return {{"method", method.name()},
          {"options", method.options()},
          {"alpha", shapes(problem.upper())},
          {"omega", shapes(problem.lower())}};
}

Manifest manifest_of(BilevelProblem& problem, const Method& method, const TrainingOptions& options) {
  const auto shape = gradients::check_contract(problem);
  Manifest manifest;
  manifest.created = base::utc_now();
  manifest.title = method.name();
  manifest.config = {{"method", method.name()}};
  manifest.config.update(TrainingOptions::table().write(options));
  manifest.config[method.name()] = method.options();
  manifest.runtime = base::describe_runtime();
  manifest.problem = describe_shape(shape, problem);
  manifest.datasets = problem.provenance();
  return manifest;
}

/// An option that the version which began the run did not have was at its default.
Json with_defaults(const std::string& method, const Json& options) {
  for (const auto& info : method_catalogue()) {
    if (info.name != method) continue;
    Json given = Json::object();
    for (const auto& [key, value] : options.items()) {
      if (!value.is_null()) given[key] = value;
    }
    try {
      return info.resolve(given, {});
    } catch (const Error&) {
      return options;  // of a version with other rules: another run
    }
  }
  return options;
}

/// "rho = 0.5, not 0.3"
std::string differences(const Json& before, const Json& now) {
  std::vector<std::string> all;
  for (const auto& [key, value] : now.items()) {
    const auto old = before.value(key, Json());
    if (old != value) all.push_back(fmt::format("{} = {}, not {}", key, old.dump(), value.dump()));
  }
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key)) all.push_back(fmt::format("{} = {}, now unknown", key, value.dump()));
  }
  return base::join(all);
}

void refuse_foreign(const Json& state, Json identity, const std::filesystem::path& folder) {
  const auto stored = state.is_object() ? state.value("fingerprint", Json()) : Json();
  auto before = stored.is_string() ? base::parse_json(stored.get<std::string>()) : Json();
  const bool knows_options = before.is_object() && before.contains("options");  // older versions did not write them
  const Json now = knows_options ? identity["options"] : Json::object();
  const Json then = knows_options ? with_defaults(identity["method"], before["options"]) : Json::object();
  identity.erase("options");
  if (knows_options) before.erase("options");
  if (before != identity) {
    throw Error(ErrorKind::checkpoint, folder.string(), "holds a run of another method, or of another problem",
                "Name another folder, or delete it");
  }
  const auto different = differences(then, now);
  if (different.empty()) return;
  throw Error(ErrorKind::checkpoint, folder.string(),
              fmt::format("holds a run of {} that was begun with {}", identity["method"].get<std::string>(), different),
              "Give the options that it was begun with, or name another folder");
}

void refuse_own_state(const RunControl& control) {
  if (!control.resume) return;
  throw Error(ErrorKind::usage, "RunControl::resume", "train_in_folder goes on from the checkpoint in the folder",
              "Leave it out, or call train()");
}

}  // namespace

Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method& method,
                        const TrainingOptions& given, const RunControl& control) {
  refuse_own_state(control);
  const auto options = TrainingOptions::table().checked(given, {});
  const auto identity = identity_of(problem, method);
  const auto manifest = manifest_of(problem, method, options);
  std::optional<Snapshot> state;
  std::int64_t first_k = 0;
  const bool known = records::is_run_folder(folder);
  auto lock = known ? records::RunFolder::lock_existing(folder) : records::RunFolder::lock_new(folder);
  if (known && records::has_checkpoint(folder)) {
    const auto of_another = [&](const records::TensorFile& file) { refuse_foreign(file.state, identity, folder); };
    const auto checkpoint = records::load_checkpoint(folder, records::Damage::refuse, of_another);
    state = to_snapshot(checkpoint.content);
    first_k = checkpoint.next_k;
  }
  auto run_folder = known ? records::RunFolder::reopen(std::move(lock), manifest, first_k)
                          : records::RunFolder::create(std::move(lock), manifest);
  FolderObserver writer(run_folder, problem, identity.dump());
  EventObserver events(folder);
  RunControl run = control;
  run.observers.insert(run.observers.begin(), &writer);
  if (options.tensorboard) run.observers.insert(run.observers.begin() + 1, &events);
  run.resume = state ? &*state : nullptr;
  try {
    return train(problem, method, options, run);
  } catch (...) {  // refused before the first iteration: what goes wrong later ends the run with a status
    if (!known) run_folder.abandon();
    throw;
  }
}

Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method&& method,
                        const TrainingOptions& options, const RunControl& control) {
  return train_in_folder(folder, problem, method, options, control);
}

}  // namespace moblo::training
