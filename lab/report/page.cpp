#include "lab/report/page.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "lab/config/install_tree.hpp"
#include "lab/data/digest.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/png.hpp"
#include "lab/report/web_files.hpp"
#include "moblo/records/line_file.hpp"

namespace moblo::lab::report {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  }
  return bytes;
}

std::string script_tag(std::string_view script) {
  return fmt::format("<script>{}</script>\n", script);
}

/// JSON as it may stand within a <script>.
std::string within_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string data_tag(const std::string& id, const std::string& json) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, within_script(json));
}

/// "'sha256-...'" of a script, by which the policy allows it.
std::string script_hash(std::string_view script) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(script.data());
  return "'sha256-" + base64(bytes_of_hex(data::sha256(std::span(data, script.size())))) + "'";
}

std::string navigation(const Page& page) {
  std::string links;
  for (const auto& [id, name] : page.sections) {
    links += fmt::format("<a href=\"{}{}\">{}</a>", id.starts_with('/') ? "" : "#", id, html_escaped(name));
  }
  return fmt::format(
      "<div class=\"bar-top\"><b class=\"mark\">moblo</b><nav aria-label=\"Sections\">{}</nav>"
      "<button id=\"theme\" type=\"button\" hidden></button></div>\n",
      links);
}

}  // namespace

const char* const no_chart_library =
    "The figures stand still: the chart library was not found when this page was made. `tools/setup` in the source "
    "tree "
    "installs it.";

std::string page_html(const Page& page) {
  const bool interactive = !page.figures.empty() && !page.chart_library.empty();
  std::vector<std::string_view> scripts{web::theme_js, web::numbers_js};
  if (interactive) scripts.insert(scripts.end(), {page.chart_library, web::charts_js});
  scripts.insert(scripts.end(), page.scripts.begin(), page.scripts.end());
  if (!page.own_script.empty()) scripts.push_back(page.own_script);
  std::string hashes, tags;
  for (const auto& script : scripts) {
    hashes += " " + script_hash(script);
    tags += script_tag(script);
  }
  const auto title = html_escaped(page.title);
  auto text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:; script-src{}; base-uri 'none'; form-action 'none'{}\">\n"
      "<title>{}</title><style>{}</style></head>\n<body><a class=\"skip\" href=\"#content\">To the content</a>\n"
      "{}<main id=\"content\"><h1>{}</h1>\n",
      hashes, page.own_script.empty() ? "" : "; connect-src 'self'", title, web::page_css, navigation(page), title);
  text += page.body;
  if (!page.figures.empty() && !interactive) text += fmt::format("<p class=\"soft\">{}</p>\n", no_chart_library);
  text += "</main>\n";
  if (interactive) text += data_tag("figures", page.figures);
  if (!page.live.empty()) text += data_tag("live", page.live);
  for (const auto& [id, json] : page.data) text += data_tag(id, json);
  return text + tags + "</body></html>\n";
}

std::string chart_library() {
  const char* named = std::getenv("MOBLO_CHARTS");
  const auto file =
      named ? std::filesystem::path(named) : config::find_in_install_tree("web/dist/charts.js", "web/charts.js");
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? records::read_text(file) : "";
}

}  // namespace moblo::lab::report
