#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "cli/verbs.hpp"
#include "lab/data/dataset_store.hpp"
#include "lab/data/fetch.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

std::vector<lab::data::DatasetInfo> chosen(const std::string& name) {
  return name.empty() ? lab::data::dataset_catalogue() : std::vector{lab::data::find_dataset(name)};
}

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string problems(const lab::data::DatasetInfo& info, const fs::path& folder) {
  std::string all;
  for (const auto& check : lab::data::verify_dataset(info, folder)) {
    if (!check.problem.empty()) all += fmt::format("\n  {} {}", check.file.filename().string(), check.problem);
  }
  return all;
}

void get_one(const lab::data::DatasetInfo& info, const DataArguments& arguments) {
  const fs::path target = (arguments.data.empty() ? lab::data::data_home() : fs::path(arguments.data)) / info.name;
  const auto present = arguments.from.empty() ? lab::data::locate_dataset(info, arguments.data) : std::nullopt;
  if (present && problems(info, *present).empty()) {
    print_line(fmt::format("{}: already in {}, all checksums agree", info.name, present->string()));
    return;
  }
  if (!arguments.from.empty()) {
    lab::data::copy_dataset(info, arguments.from, target);
    print_line(fmt::format("{}: copied from {}, all checksums agree", info.name, arguments.from));
  } else {
    lab::data::fetch_dataset(info, target, say);
  }
  print_line(fmt::format("{}: now in {}", info.name, target.string()));
}

/// What a person must get is named, not tried, where all datasets are asked for.
bool left_to_the_user(const lab::data::DatasetInfo& info, const DataArguments& arguments) {
  if (info.by_hand.empty() || (!arguments.from.empty() && !info.files.empty())) return false;
  if (arguments.name.empty()) {
    const auto present = lab::data::locate_dataset(info, arguments.data);
    print_line(present
                   ? fmt::format("{}: in {}", info.name, present->string())
                   : fmt::format("{}: cannot be fetched by this program; `moblo data where {}` says where to get it",
                                 info.name, info.name));
    return true;
  }
  throw Error(ErrorKind::data, fmt::format("dataset {}", info.name), "cannot be fetched by this program",
              fmt::format("Where to get it:\n{}", lab::data::how_to_get(info)));
}

/// All of them are tried, so that one that cannot be had does not keep the others away.
int get(const DataArguments& arguments) {
  std::string failures;
  for (const auto& info : chosen(arguments.name)) {
    if (left_to_the_user(info, arguments)) continue;
    try {
      get_one(info, arguments);
    } catch (const Error& error) {
      if (!arguments.name.empty()) throw;
      fmt::print(stderr, "moblo: {}\n", error.what());
      failures += (failures.empty() ? "" : ", ") + info.name;
    }
  }
  if (!failures.empty()) {
    throw Error(ErrorKind::data, failures, "could not be had; the others were", "See above for how to get it by hand");
  }
  return 0;
}

/// Selections and layouts of these differ from machine to machine: another checksum is no fault, and the readers check
/// every file.
void verify_by_hand(const lab::data::DatasetInfo& info, const DataArguments& arguments) {
  const auto present = lab::data::locate_dataset(info, arguments.data);
  if (!present && arguments.name.empty()) return print_line(fmt::format("{}: not here", info.name));
  const fs::path folder = lab::data::require_dataset(info, arguments.data);
  const auto digest = lab::data::digest_folder(folder);
  print_line(fmt::format(
      "{}: {}, {} files, checksum of the folder {}{}", info.name, folder.string(), digest.files, digest.sha256,
      digest.sha256 == info.folder_sha256 ? ", as this project's results were made with"
                                          : "; not the one that this project's results were made with"));
}

int verify(const DataArguments& arguments) {
  std::string wrong;
  for (const auto& info : chosen(arguments.name)) {
    if (!info.by_hand.empty()) {
      verify_by_hand(info, arguments);
      continue;
    }
    const fs::path folder = lab::data::require_dataset(info, arguments.data);
    const std::string found = problems(info, folder);
    if (found.empty()) {
      print_line(fmt::format("{}: {}, {} files, all checksums agree", info.name, folder.string(), info.files.size()));
    } else {
      wrong += fmt::format("\n{} in {}:{}", info.name, folder.string(), found);
    }
  }
  if (!wrong.empty()) {
    throw Error(ErrorKind::data, "the data", "are not the published ones:" + wrong,
                "Remove the folder and type `moblo data get`");
  }
  return 0;
}

/// A path alone where one dataset is asked for: scripts read it.
int where(const DataArguments& arguments) {
  for (const auto& info : chosen(arguments.name)) {
    if (!arguments.name.empty()) {
      print_line(lab::data::require_dataset(info, arguments.data).string());
      continue;
    }
    const auto folder = lab::data::locate_dataset(info, arguments.data);
    print_line(fmt::format("{}: {}", info.name, folder ? folder->string() : "not here"));
  }
  return 0;
}

}  // namespace

int data(const DataArguments& arguments) {
  if (!arguments.from.empty() && (arguments.action != "get" || arguments.name.empty())) {
    throw Error(ErrorKind::usage, fmt::format("--from {}", arguments.from), "copies one dataset",
                "Write moblo data get NAME --from DIR");
  }
  if (arguments.action == "get") return get(arguments);
  if (arguments.action == "verify") return verify(arguments);
  if (arguments.action == "where") return where(arguments);
  throw Error(ErrorKind::usage, fmt::format("moblo data {}", arguments.action), "there is no such action",
              base::suggestion(arguments.action, {"get", "verify", "where"}));
}

}  // namespace moblo::cli
