#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/man_pages.hpp"
#include "cli/verbs.hpp"

namespace moblo::cli {
namespace {

/// Shells show one line.
std::string first_sentence(const std::string& help) {
  return help.substr(0, help.find_first_of(";\n"));
}

}  // namespace

std::optional<int> answer_shell_or_build(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first != "--complete" && first != "--man-pages") return std::nullopt;
  Arguments unused;
  CLI::App app;
  describe_command_line(app, unused);
  if (first == "--complete") {
    for (const auto& [text, help] : candidates(app, {argv + 2, argv + argc})) {
      fmt::print("{}\t{}\n", text, first_sentence(help));
    }
  } else {
    write_man_pages(app, argc > 2 ? argv[2] : ".");
  }
  return 0;
}

}  // namespace moblo::cli
