#include "lab/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arena_tables.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "lab/report/arena_page.hpp"
#include "lab/report/page.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// Where `run`, `reproduce` and `front` put it; for several folders, where one is.
fs::path usual_page(const ReportArguments& arguments, const lab::report::Report& content) {
  if (arguments.folders.size() != 1) return "report.html";
  return fs::path(arguments.folders.front()) / (content.front ? "front.html" : "report.html");
}

/// The report shows what it can; what is not as it was written is said beside it, and by the exit code.
int tell_damage(const lab::report::Report& report) {
  int code = 0;
  for (const auto& [name, run] : report.runs) {
    for (const auto& damage : run.damage) {
      say(fmt::format("moblo: warning: {}; `moblo verify` says what is good\n", damage));
      code = 1;
    }
  }
  return code;
}

void refuse_record(const fs::path& file) {
  if (!records::is_record_of_run(file)) return;
  throw Error(ErrorKind::usage, fmt::format("--out {}", file.string()),
              "is a record of a run, which nothing may replace", "Choose another name");
}

void write_page(const lab::report::Report& content, const fs::path& file) {
  const auto library = lab::report::chart_library();
  records::write_text_atomically(file, lab::report::html(content, library));
  if (library.empty()) say(fmt::format("moblo: warning: {}\n", lab::report::no_chart_library));
  fmt::print("Report: {}\n", file.string());
}

/// An arena has tables and a page of its own.
int report_arena(const ReportArguments& arguments, const lab::report::ArenaRecord& arena) {
  if (arguments.latex || arguments.csv) {
    throw Error(ErrorKind::usage, arguments.latex ? "--latex" : "--csv", "there is none of an arena",
                "Take --markdown or --html, or its arena.json");
  }
  const auto text = arguments.html       ? lab::report::arena_html(arena, lab::report::chart_library())
                    : arguments.markdown ? lab::report::arena_markdown(arena)
                                         : arena_tables(arena);
  fs::path file = arguments.out;
  if (arguments.html && file.empty()) file = fs::path(arguments.folders.front()) / "arena.html";
  if (file.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  records::write_text_atomically(file, text);
  if (arguments.html) fmt::print("Report: {}\n", file.string());
  return 0;
}

}  // namespace

int report(const ReportArguments& arguments) {
  if (!arguments.out.empty()) refuse_record(arguments.out);
  if (arguments.folders.size() == 1) {
    if (const auto arena = lab::report::read_arena(arguments.folders.front())) return report_arena(arguments, *arena);
  }
  const lab::report::Report content = lab::report::load_report({arguments.folders.begin(), arguments.folders.end()});
  if (arguments.html) {
    write_page(content, arguments.out.empty() ? usual_page(arguments, content) : fs::path(arguments.out));
    return tell_damage(content);
  }
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
  return tell_damage(content);
}

}  // namespace moblo::cli
