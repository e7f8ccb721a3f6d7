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

/// The runs at or below a folder. Looks only at what has changed, and of that only at the ends.
class WatchedFolder {
 public:
  explicit WatchedFolder(std::filesystem::path root);

  void refresh();
  const std::vector<RunState>& runs() const { return states_; }
  /// Counts refreshes that found something new.
  std::uint64_t version() const { return version_; }
  /// Empty for a name that is not in the list: no path is ever made of what somebody asks for.
  std::filesystem::path folder_of(const std::string& name) const;

 private:
  struct Entry {
    std::filesystem::path folder;
    RunState state;
    std::vector<std::int64_t> stamps;  ///< sizes and times of its files
  };
  static bool look_at(Entry& entry);

  std::filesystem::path root_;
  std::map<std::string, Entry> entries_;
  std::vector<RunState> states_;
  std::uint64_t version_ = 0;
};

/// The list as a table of HTML, each run a link.
std::string run_list_html(const std::vector<RunState>& runs);

}  // namespace moblo::lab::report
