#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/clean/clean_files.hpp"
#include "lab/clean/inspection_files.hpp"
#include "lab/report/figure.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page.hpp"
#include "lab/report/png.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::size_t stretches = 10;

std::string paragraph(const std::string& text, const char* css_class = "") {
  return fmt::format("<p class=\"{}\">{}</p>\n", css_class, report::html_escaped(text));
}

/// A header and its rows. The first `words` columns are text; the last row is set off where `own`.
std::string table_of(const std::vector<std::vector<std::string>>& rows, std::size_t words, bool own) {
  report::Table table{rows.front(), {rows.begin() + 1, rows.end()}, {}};
  for (std::size_t i = 0; i < table.header.size(); ++i) table.numeric.push_back(i >= words);
  const auto last = table.rows.size();
  return report::table_html(table, nullptr, [own, last](std::size_t row) {
    return own && row + 1 == last ? std::string_view("own") : std::string_view();
  });
}

std::string stretch_name(std::size_t i) {
  return fmt::format("{}\u2013{} %", 100 * i / stretches, 100 * (i + 1) / stretches);
}

std::size_t stretch_of(double probability) {
  return std::min(stretches - 1, static_cast<std::size_t>(probability * stretches));
}

std::string histogram(const DatasetFindings& found) {
  std::array<double, stretches> counts{};
  for (const double p : found.wrong) ++counts[stretch_of(p)];
  std::vector<std::pair<std::string, double>> bars;
  for (std::size_t i = 0; i < stretches; ++i) bars.emplace_back(stretch_name(i), counts[i]);
  return "<div class=\"grid-of-figures\">" +
         report::bars_html("Samples by the probability that their label is wrong", bars, report::count_text) +
         "</div>\n";
}

/// Promised against happened, where the truth is known.
std::string reliability(const DatasetFindings& found) {
  if (!found.truth) return "";
  std::array<double, stretches> count{}, promised{}, happened{};
  for (std::size_t j = 0; j < found.wrong.size(); ++j) {
    const auto i = stretch_of(found.wrong[j]);
    ++count[i];
    promised[i] += found.wrong[j];
    happened[i] += (*found.truth)[j] ? 1 : 0;
  }
  std::vector<std::vector<std::string>> rows{{"probability", "samples", "mean probability %", "really wrong %"}};
  for (std::size_t i = 0; i < stretches; ++i) {
    if (count[i] == 0) continue;
    rows.push_back({stretch_name(i), report::count_text(count[i]), percent_text(promised[i] / count[i]),
                    percent_text(happened[i] / count[i])});
  }
  return "<h3>Are the probabilities calibrated?</h3>\n" + table_of(rows, 1, false);
}

std::string class_name(const DatasetFindings& found, std::int64_t c) {
  return report::html_escaped(found.classes[static_cast<std::size_t>(c)]);
}

/// Nothing for a file that could not be shown.
std::string image_html(const Thumbnail& image, const std::string& name) {
  if (image.height == 0) return "";
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", report::html_escaped(name),
                     report::base64(report::png(image.height, image.width, image.channels, image.pixels)));
}

std::string picture(const DatasetFindings& found, std::size_t rank) {
  const auto j = found.order[rank];
  return fmt::format(
      "<figure>{1}<figcaption>{0}<br>given <b class=\"bad\">{2}</b><br>rather <b class=\"good\">{3}</b><br>"
      "{4:.1f} % wrong</figcaption></figure>",
      report::html_escaped(found.ids[j]), image_html(found.gallery[rank], found.ids[j]),
      class_name(found, found.given[j]), class_name(found, found.predicted[j]), 100 * found.wrong[j]);
}

std::string gallery(const DatasetFindings& found) {
  if (found.gallery.empty()) return "";
  std::string pictures;
  for (std::size_t r = 0; r < found.gallery.size(); ++r) pictures += picture(found, r);
  return "<h3>The most suspicious samples</h3>\n<div class=\"gallery\">" + pictures + "</div>\n";
}

/// For data without pictures.
std::string suspects(const DatasetFindings& found) {
  if (!found.gallery.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"id", "given", "rather", "probability that it is wrong %"}};
  for (std::size_t r = 0; r < std::min<std::size_t>(25, found.order.size()); ++r) {
    const auto j = found.order[r];
    rows.push_back({found.ids[j], found.classes[static_cast<std::size_t>(found.given[j])],
                    found.classes[static_cast<std::size_t>(found.predicted[j])], percent_text(found.wrong[j])});
  }
  return "<h3>The most suspicious samples</h3>\n" + table_of(rows, 3, false);
}

std::string section(const DatasetFindings& found) {
  auto text =
      fmt::format("<h2>{}</h2>\n", report::html_escaped(found.name)) +
      paragraph(fmt::format("{} samples with labels to be judged, {} trusted ones{}.", found.ids.size(), found.trusted,
                            found.test > 0 ? fmt::format(", {} test samples", found.test) : "")) +
      table_of(comparison_rows(found), 2, true);
  for (const auto& promise : promises(found)) text += paragraph(promise);
  return text + histogram(found) + reliability(found) + gallery(found) + suspects(found) + inspection_html(found);
}

}  // namespace

std::string clean_page(const std::vector<DatasetFindings>& all, const Json& about) {
  std::string body;
  for (const auto& found : all) body += section(found);
  body += paragraph(
      "All methods had the same data and were dealt the same folds: each sample was judged by models that had not seen "
      "its label. Intervals hold 90 %. The last model is the one in model.safetensors.",
      "soft");
  return report::page_html(
      {"Suspicious labels", paragraph(fmt::format("seed {}", about.value("seed", 0ULL)), "soft") + body, {}, "", ""});
}

}  // namespace moblo::lab::clean
