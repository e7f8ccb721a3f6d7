#include "cli/clean_place.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "lab/clean/clean_files.hpp"
#include "lab/clean/clean_state.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

bool holds(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

[[noreturn]] void refuse_place(const fs::path& folder, const std::string& rule,
                               const std::string& next = "Choose another --out") {
  throw Error(ErrorKind::config, folder.string(), rule, next);
}

std::string going_on(const fs::path& folder) {
  return fmt::format("`moblo clean --resume {}`", shell_quoted(folder.string()));
}

/// Whatever this `clean` could destroy. One that is not finished is looked at later, when what is asked is known.
void refuse_other_work(const fs::path& folder) {
  if (holds(folder, "manifest.json") || holds(folder, "steps.jsonl")) refuse_place(folder, "holds a training run");
  records::refuse_existing_run(folder);
  if (lab::clean::stored_request(folder)) return;
  if (holds(folder, lab::clean::clean_json_file)) {
    refuse_place(folder, "holds the results of a `moblo clean` already",
                 fmt::format("Choose another --out; {} ends at once, for nothing is left to do", going_on(folder)));
  }
  for (const auto* name : lab::clean::clean_outputs) {
    if (holds(folder, name)) refuse_place(folder, fmt::format("holds a file {}, which would be overwritten", name));
  }
}

Json given_flags(const CleanArguments& arguments) {
  Json flags;
  for (const auto& option : lab::data::noisy_options()) flags[option.flag] = arguments.sources.*option.texts;
  flags["--paper"] = arguments.paper;
  flags["--data"] = arguments.data;
  flags["--inject"] = arguments.inject ? Json(*arguments.inject) : Json(nullptr);
  flags["--precision"] = arguments.precision;
  flags["--precision-bound"] = arguments.precision_bound ? Json(*arguments.precision_bound) : Json(nullptr);
  flags["--judges"] = arguments.judges;
  flags["--review"] = arguments.review;
  flags["--seed"] = arguments.seed;
  flags["--quick"] = arguments.quick;
  return flags;
}

CleanArguments with_flags(CleanArguments arguments, const Json& flags) {
  for (const auto& option : lab::data::noisy_options()) flags.at(option.flag).get_to(arguments.sources.*option.texts);
  flags.at("--paper").get_to(arguments.paper);
  flags.at("--data").get_to(arguments.data);
  if (!flags.at("--inject").is_null()) arguments.inject = flags.at("--inject").get<double>();
  flags.at("--precision").get_to(arguments.precision);
  if (!flags.at("--precision-bound").is_null()) {
    arguments.precision_bound = flags.at("--precision-bound").get<double>();
  }
  flags.at("--judges").get_to(arguments.judges);
  flags.at("--review").get_to(arguments.review);
  flags.at("--seed").get_to(arguments.seed);
  flags.at("--quick").get_to(arguments.quick);
  return arguments;
}

std::string as_typed(const std::string& flag, const Json& value) {
  std::vector<std::string> words;
  if (value.is_array()) {
    for (const auto& text : value) words.push_back(flag + " " + shell_quoted(text.get<std::string>()));
  } else if (value.is_string() && !value.get<std::string>().empty()) {
    words.push_back(flag + " " + shell_quoted(value.get<std::string>()));
  } else if (value.is_number()) {
    words.push_back(flag + " " + value.dump());
  } else if (value == true) {
    words.push_back(flag);
  }
  return words.empty() ? "no " + flag : base::join(words, " ");
}

void refuse_another_request(const fs::path& folder, const Json& begun, const Json& now) {
  for (const auto& [flag, value] : now.at("flags").items()) {
    const auto& before = begun.at("flags").at(flag);
    if (before == value) continue;
    refuse_place(folder,
                 fmt::format("holds an unfinished `moblo clean` with {}, this one has {}", as_typed(flag, before),
                             as_typed(flag, value)),
                 fmt::format("Go on with that one by {}, or choose another --out", going_on(folder)));
  }
  if (begun.at("about") == now.at("about")) return;
  refuse_place(folder,
               fmt::format("holds an unfinished `moblo clean` of another program, moblo {}; this is moblo {}",
                           begun.at("about").at("version").get<std::string>(), version()),
               "Finish it with that one, or choose another --out");
}

Json clean_request(const CleanArguments& arguments) {
  std::error_code ignored;
  return {{"flags", given_flags(arguments)},
          {"about", about_clean(arguments)},
          {"where", fs::current_path(ignored).string()}};
}

CleanPlace resumed_place(const CleanArguments& arguments) {
  const auto folder = fs::path(arguments.resume).lexically_normal();
  const auto is_one = [&] { return holds(folder, lab::clean::clean_json_file) || lab::clean::stored_request(folder); };
  if (!is_one()) {
    throw Error(ErrorKind::config, fmt::format("--resume {}", arguments.resume), "holds no `moblo clean` to go on with",
                "Give the folder of one, or begin with --noisy and --out");
  }
  CleanPlace place{records::FolderLock(folder), arguments, {}, {}};
  place.finished = holds(folder, lab::clean::clean_json_file);
  const auto begun = lab::clean::stored_request(folder);
  if (place.finished || !begun) return place;
  records::refuse_existing_run(folder);
  place.begun = true;
  place.asked = *begun;
  place.arguments = with_flags(arguments, begun->at("flags"));
  place.where = begun->at("where").get<std::string>();
  refuse_another_request(folder, *begun, clean_request(place.arguments));
  return place;
}

CleanPlace named_place(const CleanArguments& arguments) {
  const auto folder = fs::path(arguments.out).lexically_normal();
  refuse_other_work(folder);
  CleanPlace place{records::FolderLock(folder), arguments, {}, clean_request(arguments)};
  refuse_other_work(folder);  // somebody may have ended a moment ago
  const auto begun = lab::clean::stored_request(folder);
  if (!begun) return place;
  refuse_another_request(folder, *begun, place.asked);
  place.begun = true;
  place.asked = *begun;
  place.finished = holds(folder, lab::clean::clean_json_file);
  return place;
}

/// Whoever repeats a command after a power cut may not want to begin again.
void tell_if_unfinished(const fs::path& folder, const Json& asked) {
  try {
    const auto begun = lab::clean::stored_request(folder);
    if (!begun || begun->at("flags") != asked.at("flags")) return;
    say(fmt::format("{} holds the same, unfinished; {} goes on with it\n", folder.string(), going_on(folder)));
  } catch (const std::exception&) {  // then nobody can go on with it
  }
}

/// runs/clean, or the next number that is free.
CleanPlace free_place(const CleanArguments& arguments) {
  const auto asked = clean_request(arguments);
  for (int i = 1;; ++i) {
    const auto folder = fs::path("runs") / (i == 1 ? "clean" : fmt::format("clean-{}", i));
    std::error_code ignored;
    if (fs::exists(folder, ignored)) {
      if (!arguments.quiet) tell_if_unfinished(folder, asked);
      continue;
    }
    try {
      return {records::FolderLock(folder), arguments, {}, asked};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::config) throw;  // otherwise another process was faster
    }
  }
}

}  // namespace

std::string typed_command(const CleanPlace& place) {
  std::string command = "moblo clean";
  const auto given = given_flags(place.arguments), defaults = given_flags({});
  for (const auto& [flag, value] : given.items()) {
    const auto typed = as_typed(flag, value);
    const bool usual = typed.starts_with("no ") || defaults.at(flag) == value || flag == "--checked";
    if (!usual) command += " " + typed;
  }
  return command;
}

lab::clean::CleanOptions clean_options(const CleanArguments& arguments) {
  auto options = arguments.quick ? lab::clean::CleanOptions::quick() : lab::clean::CleanOptions{};
  options.seed = arguments.seed;
  options.threads = arguments.threads > 0 ? arguments.threads : base::probe_cpu().cores;
  options.precision = arguments.precision;
  options.precision_bound = arguments.precision_bound;
  options.judges = arguments.judges;
  options.review = arguments.review;
  return options;
}

Json about_clean(const CleanArguments& arguments) {
  const auto options = clean_options(arguments);
  return {{"seed", options.seed},
          {"precision", options.precision},
          {"precision_bound", options.precision_bound ? Json(*options.precision_bound) : Json(nullptr)},
          {"judges", options.judges},
          {"quick", arguments.quick},
          {"injected", arguments.inject ? Json(*arguments.inject) : Json(nullptr)},
          {"folds", options.folds},
          {"steps", options.steps},
          {"bilevel_iterations", options.bilevel_iterations},
          {"version", version()}};
}

CleanPlace enter_clean_place(const CleanArguments& arguments) {
  try {
    auto place = !arguments.resume.empty() ? resumed_place(arguments)
                 : arguments.out.empty()   ? free_place(arguments)
                                           : named_place(arguments);
    records::drop_temporaries(place.folder());
    return place;
  } catch (const Json::exception&) {
    refuse_place(arguments.resume.empty() ? arguments.out : arguments.resume,
                 "holds a clean_state that this program has not written", "Remove it, or choose another --out");
  }
}

void settle_data(CleanPlace& place, const std::string& digest) {
  if (place.begun && place.asked.value("data", "") != digest) {
    refuse_place(place.folder(), "holds an unfinished `moblo clean` of other data: what the files hold has changed",
                 "Put the data back as they were, or choose another --out");
  }
  place.asked["data"] = digest;
}

}  // namespace moblo::cli
