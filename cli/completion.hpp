#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace moblo::cli {

struct Candidate {
  std::string text, help;
};

/// What the last of `words` may become; the first is the command. Nothing where a file is expected, or anything goes.
std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words);

/// For bash, zsh or fish: asks `moblo --complete WORD...` at every Tab.
std::string completion_script(const std::string& shell);

}  // namespace moblo::cli
