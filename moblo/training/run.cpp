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

/// Of the variables, whatever else a state holds.
std::string digest_of_variables(const records::TensorFile& state) {
  records::Digest digest;
  for (const auto& tensor : state.tensors) {
    if (!tensor.name.starts_with("alpha/") && !tensor.name.starts_with("omega/")) continue;
    digest.add(tensor.name);
    digest.add({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
  }
  return fmt::format("{:08x}", digest.crc);
}

/// What is known of where a run began; the digest tells two ends of the same name apart.
Json origin_of(const WarmStart& start) {
  Json origin = start.origin.is_object() ? start.origin : Json::object();
  origin["state"] = digest_of_variables(to_file(start.state));
  return origin;
}

/// What tells one run from another: the method with its options, the names and sizes of all variables, and where it
/// began.
Json identity_of(BilevelProblem& problem, const Method& method, const WarmStart* start) {
  const auto shapes = [](ParameterPack& pack) {
    Json all = Json::object();
    const auto pieces = pack.pieces(pack.values());
    for (std::size_t i = 0; i < pieces.size(); ++i) all[pack.names()[i]] = pieces[i].sizes().vec();
    for (const auto& table : pack.tables()) all[table.name] = table.values.sizes().vec();
    return all;
  };
  Json identity{{"method", method.name()},
                {"options", method.options()},
                {"alpha", shapes(problem.upper())},
                {"omega", shapes(problem.lower())}};
  if (start) identity["warm_start"] = origin_of(*start);
  return identity;
}

Manifest manifest_of(BilevelProblem& problem, const Method& method, const TrainingOptions& options,
                     const WarmStart* start) {
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
  if (start) manifest.warm_start = origin_of(*start);
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
    throw Error(ErrorKind::checkpoint, folder.string(),
                "holds a run of another method, of another problem, or with another start",
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
  const auto identity = identity_of(problem, method, control.warm_start);
  const auto manifest = manifest_of(problem, method, options, control.warm_start);
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

WarmStart end_of_run(const std::filesystem::path& folder, const std::string& name) {
  const auto refuse = [&](const std::string& rule) {
    throw Error(ErrorKind::checkpoint, fmt::format("a warm start from {}", folder.string()), rule,
                "Name the folder of a run that has ended well");
  };
  if (!records::is_run_folder(folder)) refuse("is not a run folder: it has no manifest.json");
  const auto summary = records::read_summary(folder);
  if (!summary) refuse("the run has not ended");
  if (!succeeded(summary->status)) refuse(fmt::format("the run ended as {}", base::name(summary->status)));
  const auto end = records::load_checkpoint(folder);
  if (end.next_k != summary->iterations) refuse("the checkpoint of its end is damaged or missing");
  WarmStart start{to_snapshot(end.content), {}};
  start.origin = {{"run", name.empty() ? folder.lexically_normal().string() : name}, {"iterations", end.next_k}};
  start.origin = origin_of(start);
  return start;
}

Summary train_in_folder(const std::filesystem::path& folder, BilevelProblem& problem, Method&& method,
                        const TrainingOptions& options, const RunControl& control) {
  return train_in_folder(folder, problem, method, options, control);
}

}  // namespace moblo::training
