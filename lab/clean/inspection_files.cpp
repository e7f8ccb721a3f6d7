#include "lab/clean/inspection_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/clean/clean_files.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/png.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::size_t most_in_json = 1000;

std::string class_text(const DatasetFindings& found, std::size_t c) {
  return found.classes[c];
}
std::string given_text(const DatasetFindings& found, std::size_t sample) {
  return class_text(found, static_cast<std::size_t>(found.given[sample]));
}

Json duplicates_json(const DatasetFindings& found) {
  const auto& all = found.inspection->duplicates.groups;
  Json groups = Json::array();
  std::size_t samples = 0;
  for (const auto& group : all) {
    samples += group.samples.size();
    if (groups.size() == most_in_json) continue;
    Json ids = Json::array();
    for (const auto j : group.samples) ids.push_back(found.ids[j]);
    groups.push_back({{"ids", ids}, {"exact", group.exact}, {"labels_differ", group.labels_differ}});
  }
  return {{"groups", all.size()}, {"samples", samples}, {"first_groups", groups}};
}

Json outliers_json(const DatasetFindings& found) {
  const auto& outliers = found.inspection->outliers;
  Json listed = Json::array();
  for (const auto j : outliers.listed) {
    if (listed.size() < most_in_json) listed.push_back({{"id", found.ids[j]}, {"score", outliers.score[j]}});
  }
  return {{"samples", outliers.listed.size()}, {"first", listed}};
}

Json overlaps_json(const DatasetFindings& found) {
  Json pairs = Json::array();
  for (const auto& pair : found.inspection->overlaps) {
    Json between = Json::array();
    for (const auto j : pair.between) between.push_back(found.ids[j]);
    pairs.push_back({{"classes", {class_text(found, pair.first), class_text(found, pair.second)}},
                     {"share", pair.share},
                     {"given_otherwise", pair.given_otherwise},
                     {"between", between}});
  }
  return pairs;
}

Json groups_json(const DatasetFindings& found) {
  Json groups = Json::array();
  for (const auto& group : found.inspection->groups) {
    groups.push_back({{"name", group.name},
                      {"samples", group.samples},
                      {"wrong_share", group.wrong},
                      {"interval_90", {group.lower, group.upper}},
                      {"differs", group.differs}});
  }
  return groups;
}

std::string text_line(const std::string& text) {
  return fmt::format("<p>{}</p>\n", report::html_escaped(text));
}

std::string figure_of(const DatasetFindings& found, std::size_t sample, const std::string& more) {
  const auto* image = found.inspection->thumbnail(sample);
  const auto shown =
      image && image->height > 0
          ? fmt::format("<img alt=\"\" src=\"data:image/png;base64,{}\">",
                        report::base64(report::png(image->height, image->width, image->channels, image->pixels)))
          : std::string();
  return fmt::format("<figure>{}<figcaption>{}<br>given <b>{}</b>{}</figcaption></figure>", shown,
                     report::html_escaped(found.ids[sample]), report::html_escaped(given_text(found, sample)),
                     report::html_escaped(more));
}

std::string gallery_of(const std::string& figures) {
  return "<div class=\"gallery\">" + figures + "</div>\n";
}

std::string table_text(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                       std::size_t words) {
  report::Table table{header, rows, {}};
  for (std::size_t i = 0; i < header.size(); ++i) table.numeric.push_back(i >= words);
  return report::table_html(table, nullptr);
}

std::string duplicates_html(const DatasetFindings& found) {
  const auto& groups = found.inspection->duplicates.groups;
  if (groups.empty()) return text_line("No duplicates were found.");
  std::size_t differing = 0, exact = 0, samples = 0;
  for (const auto& group : groups) {
    differing += group.labels_differ ? 1 : 0, exact += group.exact ? 1 : 0, samples += group.samples.size();
  }
  auto html = text_line(
      fmt::format("{} samples are in {} groups of equal or nearly equal ones ({} of equal ones); in {} groups the "
                  "labels differ, so "
                  "that one of them is wrong. Nearly equal are samples that are closer than chance explains{}.",
                  samples, groups.size(), exact, differing,
                  found.inspection->thumbnails.empty() ? "" : ", or whose pictures are alike"));
  std::vector<std::vector<std::string>> rows;
  std::string figures;
  for (std::size_t g = 0; g < std::min(groups.size(), groups_shown); ++g) {
    const auto& group = groups[g];
    std::vector<std::string> names;
    for (std::size_t m = 0; m < std::min(group.samples.size(), members_shown); ++m) {
      const auto j = group.samples[m];
      names.push_back(fmt::format("{} ({})", found.ids[j], given_text(found, j)));
      if (found.inspection->thumbnail(j)) figures += figure_of(found, j, fmt::format(", group {}", g + 1));
    }
    if (group.samples.size() > members_shown)
      names.push_back(fmt::format("and {} more", group.samples.size() - members_shown));
    rows.push_back({std::to_string(g + 1), group.exact ? "equal" : "nearly equal",
                    group.labels_differ ? "differ" : "agree", base::join(names)});
  }
  html += table_text({"group", "inputs", "labels", "samples"}, rows, 4);
  return figures.empty() ? html : html + gallery_of(figures);
}

std::string outliers_html(const DatasetFindings& found) {
  const auto& outliers = found.inspection->outliers;
  if (outliers.listed.empty()) return text_line("No sample stands apart from the others of its class.");
  auto html =
      text_line(fmt::format("{} samples stand apart from all others, as those of their class do not: images of another "
                            "kind, damaged, or rare. "
                            "The score counts deviations of the class from its middle.",
                            outliers.listed.size()));
  std::string figures;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t r = 0; r < std::min(outliers.listed.size(), outliers_shown); ++r) {
    const auto j = outliers.listed[r];
    const auto score = fmt::format("{:.1f}", outliers.score[j]);
    if (found.inspection->thumbnail(j)) figures += figure_of(found, j, fmt::format(", score {}", score));
    rows.push_back({found.ids[j], given_text(found, j), score});
  }
  return html + (figures.empty() ? table_text({"id", "given", "score"}, rows, 2) : gallery_of(figures));
}

std::string overlaps_html(const DatasetFindings& found) {
  const auto& overlaps = found.inspection->overlaps;
  if (overlaps.empty()) return text_line("No two classes overlap by more than two hundredths of the smaller one.");
  auto html = text_line(
      "Of the smaller of two classes, the share that even the best judge could not tell from the other; and samples "
      "given "
      "one of them that are rather of the other.");
  std::vector<std::vector<std::string>> rows;
  std::string figures;
  for (std::size_t o = 0; o < overlaps.size(); ++o) {
    const auto& pair = overlaps[o];
    rows.push_back({class_text(found, pair.first), class_text(found, pair.second), percent_text(pair.share),
                    report::count_text(static_cast<double>(pair.given_otherwise))});
    if (o >= overlaps_shown) continue;
    for (const auto j : pair.between) {
      if (!found.inspection->thumbnail(j)) continue;
      figures +=
          figure_of(found, j, fmt::format(", {} or {}", class_text(found, pair.first), class_text(found, pair.second)));
    }
  }
  html += table_text({"class", "and class", "overlap %", "given the other one"}, rows, 2);
  return figures.empty() ? html : html + gallery_of(figures);
}

std::string groups_html(const DatasetFindings& found) {
  const auto& groups = found.inspection->groups;
  if (groups.size() < 2) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& group : groups) {
    rows.push_back({group.name, report::count_text(static_cast<double>(group.samples)), percent_text(group.wrong),
                    fmt::format("{} to {}", percent_text(group.lower), percent_text(group.upper)),
                    group.differs ? "yes" : ""});
    if (rows.size() == 40) break;
  }
  return "<h3>Labels by group</h3>\n" +
         text_line(
             "The share of wrong labels of each group with a 90 % interval, as far as the probabilities are right; and "
             "whether it differs from that of the others together by more than chance.") +
         table_text({"group", "samples", "wrong %", "interval %", "differs"}, rows, 1);
}

}  // namespace

std::string inspection_cells(const DatasetFindings& found, std::size_t sample) {
  if (!found.inspection) return ",,,";
  const auto& outliers = found.inspection->outliers;
  const auto of = found.inspection->duplicates.of[sample];
  const bool listed = outliers.score[sample] >= outliers.least_score;
  return fmt::format(",{},{:.3g},{}", of < 0 ? "" : base::csv_field(found.ids[static_cast<std::size_t>(of)]),
                     outliers.score[sample], listed ? 1 : 0);
}

Json inspection_json(const DatasetFindings& found) {
  if (!found.inspection) return nullptr;
  return {{"duplicates", duplicates_json(found)},
          {"outliers", outliers_json(found)},
          {"overlaps", overlaps_json(found)},
          {"labels_by_group", groups_json(found)}};
}

std::string inspection_html(const DatasetFindings& found) {
  if (!found.inspection) return "";
  return "<h3>Duplicates</h3>\n" + duplicates_html(found) + "<h3>Outliers</h3>\n" + outliers_html(found) +
         "<h3>Classes that overlap</h3>\n" + overlaps_html(found) + groups_html(found);
}

}  // namespace moblo::lab::clean
