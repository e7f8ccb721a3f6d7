#include "moblo/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "moblo/record/tensor_file.hpp"
#include "moblo/report/page.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// Where `run` and `reproduce` put it; for several folders, where one is.
fs::path usual_page(const ReportArguments& arguments) {
  return arguments.folders.size() == 1 ? fs::path(arguments.folders.front()) / "report.html" : fs::path("report.html");
}

int write_page(const Report& content, const fs::path& file) {
  const auto library = chart_library();
  write_text_atomically(file, html(content, library));
  if (library.empty()) say(fmt::format("moblo: warning: {}\n", no_chart_library));
  fmt::print("Report: {}\n", file.string());
  return 0;
}

}  // namespace

int report(const ReportArguments& arguments) {
  const Report content = load_report({arguments.folders.begin(), arguments.folders.end()});
  if (arguments.html)
    return write_page(content, arguments.out.empty() ? usual_page(arguments) : fs::path(arguments.out));
  const bool to_file = !arguments.out.empty();
  const auto text = arguments.latex      ? latex(content)
                    : arguments.csv      ? csv(content)
                    : arguments.markdown ? markdown(content) + "\n"
                                         : terminal(content, !to_file && wants_colour());
  if (to_file) {
    write_text_atomically(arguments.out, text);
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace moblo::cli
