#include "lab/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "lab/report/page.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// Where `run` and `reproduce` put it; for several folders, where one is.
fs::path usual_page(const ReportArguments& arguments) {
  return arguments.folders.size() == 1 ? fs::path(arguments.folders.front()) / "report.html" : fs::path("report.html");
}

int write_page(const lab::report::Report& content, const fs::path& file) {
  const auto library = lab::report::chart_library();
  records::write_text_atomically(file, lab::report::html(content, library));
  if (library.empty()) say(fmt::format("moblo: warning: {}\n", lab::report::no_chart_library));
  fmt::print("Report: {}\n", file.string());
  return 0;
}

}  // namespace

int report(const ReportArguments& arguments) {
  const lab::report::Report content = lab::report::load_report({arguments.folders.begin(), arguments.folders.end()});
  if (arguments.html)
    return write_page(content, arguments.out.empty() ? usual_page(arguments) : fs::path(arguments.out));
  const bool to_file = !arguments.out.empty();
  const auto text = arguments.latex      ? lab::report::latex(content)
                    : arguments.csv      ? lab::report::csv(content)
                    : arguments.markdown ? lab::report::markdown(content) + "\n"
                                         : lab::report::terminal(content, !to_file && wants_colour());
  if (to_file) {
    records::write_text_atomically(arguments.out, text);
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace moblo::cli
