#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/status.hpp"

namespace moblo::lab::report {

/// The state of one run, read from the ends of its files.
struct RunState {
  std::string name;  ///< its folder, relative to the watched one
  std::string title, method, problem;
  std::string broken;  ///< why it cannot be read; empty where it can
  RunStatus status = RunStatus::running;
  bool silent = false;          ///< it should be running, but has written nothing for long
  std::int64_t iterations = 0;  ///< done
  std::int64_t wanted = 0;      ///< 0 where the manifest does not say
  double step_seconds = 0;      ///< mean of the last ones
  std::int64_t written = 0;     ///< when, in seconds since 1970

  double progress() const;
  /// Empty where it does not run or nothing is known.
  std::optional<double> seconds_left() const;
};

/// The runs at or below a folder. Looks only at what has changed, and of that only at the ends. A run that cannot be
/// read, or that leads out of the folder, stands in the list with the reason.
class WatchedFolder {
 public:
  explicit WatchedFolder(std::filesystem::path root);

  void refresh();
  /// Those that run first, then broken ones.
  const std::vector<RunState>& runs() const { return states_; }
  /// Another one after each refresh that found something new.
  std::uint64_t version() const { return version_; }
  using Folders = std::map<std::string, std::filesystem::path>;
  /// By name: no path is ever made of what somebody asks for.
  Folders folders() const;
  /// Without links.
  const std::filesystem::path& resolved_root() const { return resolved_root_; }

 private:
  struct Entry {
    std::filesystem::path folder;
    RunState state;
    std::vector<std::int64_t> stamps;  ///< sizes and times of its files when it was read
  };
  static void read(Entry& entry);
  bool look_at(Entry& entry, const std::string& fault) const;
  void sort_states();

  std::filesystem::path root_, resolved_root_;
  std::map<std::string, Entry> entries_;
  std::vector<RunState> states_;
  std::uint64_t version_ = 0;
};

/// The list as a table of HTML, each run a link.
std::string run_list_html(const std::vector<RunState>& runs);

}  // namespace moblo::lab::report
