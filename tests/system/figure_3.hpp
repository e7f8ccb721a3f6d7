#pragma once

#include "tests/system/runs.hpp"

namespace moblo::system_test {

/// `moblo reproduce figure-3 --json`, once for all tests that look at it.
struct Figure3 {
  TemporaryFolder folder;
  Result result =
      run_program({{"reproduce", "figure-3", "--json", "--out", (folder / "figure").string()}, folder.path()});

  fs::path path() const { return folder / "figure"; }

  static const Figure3& once() {
    static const Figure3 figure;
    return figure;
  }
};

inline const std::vector<std::string>& figure_3_folders() {
  static const std::vector<std::string> folders{"forum-alpha-0-omega-0-3", "forum-alpha-2-omega-0-3",
                                                "forum-alpha-2-omega-3-3"};
  return folders;
}

}  // namespace moblo::system_test
