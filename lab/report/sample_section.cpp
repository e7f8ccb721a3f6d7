#include "lab/report/sample_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "lab/metrics/auc.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/png.hpp"

namespace moblo::lab::report {
namespace {

constexpr std::size_t bins = 40, roc_points = 200, most_suspects = 24;

/// Steps over the range of all weights, as shares of the group, so that groups of different sizes can be compared.
Curve histogram(const std::string& label, const std::vector<double>& weights, double low, double high) {
  const double width = (high - low) / bins;
  std::vector<double> counts(bins, 0);
  for (const double weight : weights) ++counts[std::min(bins - 1, static_cast<std::size_t>((weight - low) / width))];
  Curve curve{label, {}};
  for (std::size_t i = 0; i < bins; ++i) {
    const double share = 100 * counts[i] / std::max<double>(1, static_cast<double>(weights.size()));
    curve.points.push_back({low + static_cast<double>(i) * width, share});
    curve.points.push_back({low + static_cast<double>(i + 1) * width, share});
  }
  return curve;
}

Figure weight_figure(const SampleOutcomes& outcomes) {
  Figure figure{"Learned weights of " + outcomes.dataset, "% of the samples", false, {}, "weight"};
  figure.filled = true;
  const auto& all = outcomes.weights;
  if (all.empty()) return figure;
  double low = *std::min_element(all.begin(), all.end()), high = *std::max_element(all.begin(), all.end());
  if (low == high) std::tie(low, high) = std::pair(0.0, 1.0);
  if (outcomes.wrong.empty()) {
    figure.curves.push_back(histogram("all samples", all, low, high));
    return figure;
  }
  std::vector<double> clean, wrong;
  for (std::size_t i = 0; i < all.size(); ++i) (outcomes.wrong[i] ? wrong : clean).push_back(all[i]);
  figure.curves.push_back(histogram(fmt::format("{} right labels", clean.size()), clean, low, high));
  figure.curves.push_back(histogram(fmt::format("{} wrong labels", wrong.size()), wrong, low, high));
  return figure;
}

std::vector<std::size_t> by_weight(const SampleOutcomes& outcomes) {
  std::vector<std::size_t> order(outcomes.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return outcomes.weights[a] < outcomes.weights[b]; });
  return order;
}

/// Flags sample after sample from the smallest weight on; samples of one weight are flagged together.
Curve roc_curve(const std::string& label, const SampleOutcomes& outcomes) {
  const auto wrongs = static_cast<double>(std::count(outcomes.wrong.begin(), outcomes.wrong.end(), true));
  const auto rights = static_cast<double>(outcomes.wrong.size()) - wrongs;
  std::vector<Point> points{{0, 0}};
  double found = 0, falsely = 0;
  const auto order = by_weight(outcomes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    (outcomes.wrong[order[i]] ? found : falsely) += 1;
    const bool tied = i + 1 < order.size() && outcomes.weights[order[i + 1]] == outcomes.weights[order[i]];
    if (!tied) points.push_back({falsely / rights, found / wrongs});
  }
  return {label, thinned(points, roc_points)};
}

Figure roc_figure(const std::vector<SampleOutcomes>& all) {
  Figure figure{"Finding wrong labels by their weights (ROC)", "found", false, {}, "falsely flagged"};
  for (const auto& outcomes : all) {
    std::vector<double> scores;
    for (const double weight : outcomes.weights) scores.push_back(-weight);
    const auto auc = outcomes.wrong.empty() ? std::nullopt : metrics::area_under_roc(scores, outcomes.wrong);
    if (!auc) continue;
    figure.curves.push_back(roc_curve(fmt::format("{}, AUC {}", outcomes.dataset, number_text(*auc)), outcomes));
  }
  return figure;
}

std::string truth_text(const SampleOutcomes& outcomes, std::size_t sample) {
  if (outcomes.wrong.empty()) return "";
  return outcomes.wrong[sample] ? "<br><span class=\"good\">really wrong</span>"
                                : "<br><span class=\"bad\">was right</span>";
}

std::string caption(const SampleOutcomes& outcomes, std::size_t sample) {
  return fmt::format("given <b>{}</b>, seen as <b>{}</b><br>weight {}{}", outcomes.given[sample],
                     outcomes.predicted[sample], number_text(outcomes.weights[sample]), truth_text(outcomes, sample));
}

std::string suspect_table(const SampleOutcomes& outcomes) {
  HtmlTable table{{"sample", "label"}, {}, {true, false}};
  const auto order = by_weight(outcomes);
  for (std::size_t r = 0; r < std::min(most_suspects, order.size()); ++r) {
    table.rows.push_back({std::to_string(order[r]), caption(outcomes, order[r])});
  }
  return table_html(table);
}

}  // namespace

std::vector<Figure> sample_figures(const std::vector<SampleOutcomes>& all) {
  std::vector<Figure> figures;
  for (const auto& outcomes : all) figures.push_back(weight_figure(outcomes));
  auto roc = roc_figure(all);
  if (!roc.curves.empty()) figures.push_back(std::move(roc));
  return figures;
}

std::string suspects_html(const SampleOutcomes& outcomes) {
  auto text = fmt::format("<h3>The most suspicious samples of {}</h3>\n", html_escaped(outcomes.dataset));
  if (outcomes.pictures.empty()) return text + suspect_table(outcomes);
  std::string pictures;
  for (const auto& picture : outcomes.pictures) {
    const auto sample = static_cast<std::size_t>(picture.sample);
    pictures += fmt::format(
        "<figure><img alt=\"sample {} of {}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption></figure>",
        sample, html_escaped(outcomes.dataset), base64(picture.png), caption(outcomes, sample));
  }
  return text + "<div class=\"gallery\">" + pictures + "</div>\n";
}

}  // namespace moblo::lab::report
