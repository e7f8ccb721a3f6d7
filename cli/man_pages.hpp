#pragma once

#include <filesystem>

namespace CLI {
class App;
}

namespace moblo::cli {

/// moblo.1, and moblo-VERB.1 for each command, from the descriptions that --help shows.
void write_man_pages(const CLI::App& app, const std::filesystem::path& folder);

}  // namespace moblo::cli
