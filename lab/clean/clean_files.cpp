#include "lab/clean/clean_files.hpp"

#include "lab/clean/inspection_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/report/number_text.hpp"

namespace moblo::lab::clean {
namespace {

struct Place {
  const DatasetFindings* dataset;
  std::size_t sample;
};

std::vector<Place> most_suspicious_first(const std::vector<DatasetFindings>& all, bool flagged_only) {
  std::vector<Place> places;
  for (const auto& found : all) {
    const auto count = flagged_only ? found.flagged.length : found.order.size();
    for (std::size_t r = 0; r < count; ++r) places.push_back({&found, found.order[r]});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.dataset->wrong[a.sample] > b.dataset->wrong[b.sample];
  });
  return places;
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json way_json(const WayFigures& way) {
  return {{"name", way.name},
          {"learns_from", way.learns_from},
          {"detection_auc", number_or_null(way.auc)},
          {"held_out_accuracy", number_or_null(way.held_out_accuracy)},
          {"test_accuracy", number_or_null(way.test_accuracy)}};
}

Json noise_json(const NoiseModel& noise) {
  Json rows = Json::array();
  for (std::size_t c = 0; c < noise.classes; ++c) {
    const auto first = noise.transition.begin() + static_cast<std::ptrdiff_t>(c * noise.classes);
    rows.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(noise.classes)));
  }
  return {{"wrong_share", noise.wrong_share}, {"given_by_true_class", rows}};
}

Json dataset_json(const DatasetFindings& found) {
  Json ways = Json::array();
  for (const auto& way : found.ways) ways.push_back(way_json(way));
  return {{"name", found.name},
          {"classes", found.classes},
          {"noisy_samples", found.ids.size()},
          {"trusted_samples", found.trusted},
          {"held_out_samples", found.held_out},
          {"test_samples", found.test},
          {"ways", ways},
          {"detection_f1", number_or_null(found.f1)},
          {"flagged",
           {{"samples", found.flagged.length},
            {"promised_precision", found.flagged.promised},
            {"precision", number_or_null(found.flagged.precision)},
            {"recall", number_or_null(found.flagged.recall)}}},
          {"noise", noise_json(found.noise)},
          {"calibration",
           {{"judges", found.judges},
            {"power", found.power},
            {"slope", found.calibration.slope},
            {"offset", found.calibration.offset},
            {"error_on_held_out", found.rehearsed_error},
            {"error_on_known_truth", number_or_null(found.true_error)}}},
          {"inspection", inspection_json(found)}};
}

}  // namespace

std::string samples_csv(const std::vector<DatasetFindings>& all, bool flagged_only) {
  std::string text = "dataset,id,given_label,predicted_label,weight,wrong_probability";
  text += fmt::format("{}\n", inspection_columns);
  for (const auto& [found, j] : most_suspicious_first(all, flagged_only)) {
    text += fmt::format("{},{},{},{},{:.6f},{:.6g}{}\n", base::csv_field(found->name), base::csv_field(found->ids[j]),
                        base::csv_field(found->classes[static_cast<std::size_t>(found->given[j])]),
                        base::csv_field(found->classes[static_cast<std::size_t>(found->predicted[j])]),
                        found->weights[j], found->wrong[j], inspection_cells(*found, j));
  }
  return text;
}

Json findings_json(const std::vector<DatasetFindings>& all, const Json& about) {
  Json document = {{"format", 1}};
  document.update(about);
  document["datasets"] = Json::array();
  for (const auto& found : all) document["datasets"].push_back(dataset_json(found));
  return document;
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f}", 100 * *share) : "\u2013";
}

std::string auc_text(const std::optional<double>& auc) {
  return auc ? fmt::format("{:.4f}", *auc) : "\u2013";
}

std::vector<std::vector<std::string>> comparison_rows(const DatasetFindings& found) {
  struct Column {
    std::string title;
    std::optional<double> WayFigures::*figure;
    std::string (*text)(const std::optional<double>&);
  };
  std::vector<Column> columns{{"AUC of wrong labels", &WayFigures::auc, auc_text},
                              {"held-out accuracy %", &WayFigures::held_out_accuracy, percent_text},
                              {"test accuracy %", &WayFigures::test_accuracy, percent_text}};
  std::erase_if(columns, [&](const Column& column) {
    return std::none_of(found.ways.begin(), found.ways.end(),
                        [&](const WayFigures& way) { return (way.*column.figure).has_value(); });
  });
  std::vector<std::vector<std::string>> rows{{found.name, "learns from"}};
  for (const auto& column : columns) rows.front().push_back(column.title);
  for (const auto& way : found.ways) {
    rows.push_back({way.name, way.learns_from});
    for (const auto& column : columns) rows.back().push_back(column.text(way.*column.figure));
  }
  return rows;
}

}  // namespace moblo::lab::clean
