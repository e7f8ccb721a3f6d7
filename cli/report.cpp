#include "moblo/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.hpp"
#include "moblo/record/tensor_file.hpp"

namespace moblo::cli {

int report(const ReportArguments& arguments) {
  std::vector<std::filesystem::path> folders(arguments.folders.begin(), arguments.folders.end());
  const Report content = load_report(folders);
  if (!arguments.html.empty()) {
    write_text_atomically(arguments.html, html(content));
    fmt::print("Report: {}\n", arguments.html);
  }
  if (arguments.latex) fmt::print("{}", latex(content));
  if (arguments.csv) fmt::print("{}", csv(content));
  if (arguments.markdown || (arguments.html.empty() && !arguments.latex && !arguments.csv)) {
    fmt::print("{}\n", markdown(content));
  }
  return 0;
}

}  // namespace moblo::cli
