#include "cli/man_pages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <string>

#include "moblo/base/runtime.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

/// Text in roff: a backslash, a minus that stays one, and a line that would begin with a request.
std::string roff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string header(const std::string& page, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"moblo {}\" \"moblo\"\n.SH NAME\n{} \\- {}\n", upper_case(roff(page)), version(),
                     roff(page), roff(summary));
}

std::string name_of(const CLI::Option& option) {
  return option.nonpositional() ? "--" + option.get_lnames().front() : upper_case(option.get_name());
}

/// "--seed UINT", and nothing behind a flag.
std::string entry(const CLI::Option& option) {
  const bool value = option.nonpositional() && option.get_items_expected_min() > 0;
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name_of(option)),
                     value ? fmt::format(" \\fI{}\\fR", roff(option.get_type_name())) : "",
                     roff(option.get_description()));
}

std::string synopsis(const CLI::App& verb) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fBmoblo {}\\fR", roff(verb.get_name()));
  for (const auto* option : verb.get_options()) {
    if (option->nonpositional()) continue;
    const auto name =
        fmt::format("\\fI{}\\fR{}", roff(name_of(*option)), option->get_items_expected_max() > 1 ? " ..." : "");
    text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return text + " [\\fIoptions\\fR]\n";
}

std::string page_of(const CLI::App& verb) {
  auto text = header("moblo-" + verb.get_name(), verb.get_description()) + synopsis(verb) + ".SH OPTIONS\n";
  for (const auto* option : verb.get_options()) text += entry(*option);
  return text + ".SH SEE ALSO\n\\fBmoblo\\fR(1)\n";
}

std::string page_of_all(const CLI::App& app) {
  auto text = header("moblo", "gradient-based multi-objective bi-level optimisation") +
              ".SH SYNOPSIS\n\\fBmoblo\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n";
  for (const auto* verb : app.get_subcommands({})) {
    text += fmt::format(".TP\n\\fBmoblo\\-{}\\fR(1)\n{}\n", roff(verb->get_name()), roff(verb->get_description()));
  }
  text += ".SH OPTIONS\n";
  for (const auto* option : app.get_options()) text += entry(*option);
  text += ".SH EXAMPLES\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  text += ".SH EXIT STATUS\n0 done, 1 failed run, 2 bad usage or configuration, 130 interrupted (state saved).\n";
  return text + ".SH ENVIRONMENT\n.TP\n\\fBMOBLO_DATA\\fR\nwhere datasets are\n.TP\n\\fBNO_COLOR\\fR\nno colours\n";
}

}  // namespace

void write_man_pages(const CLI::App& app, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  records::write_text_atomically(folder / "moblo.1", page_of_all(app));
  for (const auto* verb : app.get_subcommands({})) {
    records::write_text_atomically(folder / fmt::format("moblo-{}.1", verb->get_name()), page_of(*verb));
  }
}

}  // namespace moblo::cli
