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

Json estimate_json(const Estimate& estimate) {
  return {{"estimate", estimate.value}, {"low", number_or_null(estimate.low)}, {"high", number_or_null(estimate.high)}};
}

Json estimate_or_null(const std::optional<Estimate>& estimate) {
  return estimate ? estimate_json(*estimate) : Json(nullptr);
}

Json way_json(const WayFigures& way) {
  return {{"name", way.name},
          {"learns_from", way.learns_from},
          {"detection_auc", number_or_null(way.auc)},
          {"held_out_accuracy", estimate_or_null(way.held_out_accuracy)},
          {"test_accuracy", number_or_null(way.test_accuracy)}};
}

Json noise_json(const DatasetFindings& found) {
  Json rows = Json::array();
  const auto& noise = found.noise;
  for (std::size_t c = 0; c < noise.classes; ++c) {
    const auto first = noise.transition.begin() + static_cast<std::ptrdiff_t>(c * noise.classes);
    rows.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(noise.classes)));
  }
  return {{"wrong_share", estimate_json(found.wrong_share)},
          {"basis", found.assumed ? "assumption" : "pairs of given and checked labels"},
          {"given_by_true_class", rows}};
}

Json pool_json(const DatasetFindings& found) {
  Json judges = Json::array();
  for (std::size_t m = 0; m < found.judges.size(); ++m) {
    judges.push_back({{"judge", found.judges[m]}, {"power", found.pool.judges[m]}});
  }
  return {{"judges", judges},
          {"noise_power", found.pool.noise_power},
          {"given", found.pool.given},
          {"given_when_sure", found.pool.given_when_sure}};
}

Json measured_json(const DatasetFindings& found) {
  return {{"pairs", found.measured.pairs},
          {"random_pairs", found.measured.random},
          {"detection_auc", number_or_null(found.measured.auc)},
          {"calibration_error", number_or_null(found.measured.error)},
          {"right_guesses", estimate_or_null(found.measured.right_guesses)},
          {"calibration_error_on_known_truth", number_or_null(found.true_error)}};
}

Json choice_json(const DatasetFindings& found) {
  if (found.candidates.empty()) return nullptr;
  Json candidates = Json::array();
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    candidates.push_back(
        {{"name", found.candidates[i].name},
         {"shares", found.candidates[i].shares},
         {"simple", found.candidates[i].simple},
         {"held_out_accuracy", found.choice.measured ? estimate_json(found.choice.accuracy[i]) : Json(nullptr)}});
  }
  return {{"chosen", found.candidates[found.choice.chosen].name},
          {"basis", found.choice.measured ? "held-out trusted samples" : "assumption"},
          {"margin_over_best_simple", found.choice.measured ? estimate_json(found.choice.margin) : Json(nullptr)},
          {"candidates", candidates}};
}

Json dataset_json(const DatasetFindings& found) {
  Json ways = Json::array();
  for (const auto& way : found.ways) ways.push_back(way_json(way));
  return {{"name", found.name},
          {"classes", found.classes},
          {"noisy_samples", found.ids.size()},
          {"trusted_samples", found.trusted},
          {"test_samples", found.test},
          {"columns", found.columns},
          {"ways", ways},
          {"model", choice_json(found)},
          {"detection_f1", number_or_null(found.f1)},
          {"flagged",
           {{"samples", found.flagged.length},
            {"promised_precision", estimate_json(found.flagged.promised)},
            {"precision", number_or_null(found.flagged.precision)},
            {"recall", number_or_null(found.flagged.recall)}}},
          {"noise", noise_json(found)},
          {"pool", pool_json(found)},
          {"measured", measured_json(found)}};
}

const std::string& class_of(const DatasetFindings& found, std::int64_t label) {
  return found.classes[static_cast<std::size_t>(label)];
}

/// The columns that both lists of samples have.
std::string sample_fields(const DatasetFindings& found, std::size_t j) {
  return fmt::format("{},{},{},{},{:.6g}", base::csv_field(found.name), base::csv_field(found.ids[j]),
                     base::csv_field(class_of(found, found.given[j])),
                     base::csv_field(class_of(found, found.predicted[j])), found.wrong[j]);
}

std::string noise_promise(const DatasetFindings& found) {
  const auto share =
      fmt::format("Labels that are wrong: {} of {}.", estimate_text(found.wrong_share), found.ids.size());
  if (found.assumed) {
    return share +
           " This rests on an assumption, that labels go wrong by their class alone; no sample tells both the label "
           "it was given and a checked one.";
  }
  return share + fmt::format(" Learned from {} samples with a given and a checked label{}.", found.measured.pairs,
                             found.measured.random < found.measured.pairs
                                 ? fmt::format(", of which {} were drawn at random", found.measured.random)
                                 : "");
}

std::string flagged_promise(const DatasetFindings& found) {
  auto text = fmt::format("{} labels are flagged; wrong among them: {}{}.", found.flagged.length,
                          estimate_text(found.flagged.promised), found.flagged.promised.low ? "" : ", not measured");
  if (found.flagged.precision) {
    text += fmt::format(" Truly {:.1f} %, and {:.1f} % of all wrong ones.", 100 * *found.flagged.precision,
                        100 * found.flagged.recall.value_or(0));
  }
  return text;
}

std::string quality_promise(const DatasetFindings& found) {
  if (!found.measured.auc) return "How good the probabilities are is not measured: checked pairs are too few.";
  return fmt::format(
      "On {} pairs that nothing had seen: AUC {:.3f}, probabilities miss by {:.1f} points, {} of the guessed labels "
      "are "
      "right.",
      found.measured.random, *found.measured.auc, 100 * *found.measured.error,
      estimate_text(*found.measured.right_guesses));
}

std::string interval_text(const std::optional<Estimate>& share) {
  if (!share) return percent_text(std::nullopt);
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", 100 * share->value, 100 * *share->low, 100 * *share->high);
}

std::string model_promise(const DatasetFindings& found) {
  if (found.candidates.empty()) return "No model is saved: all probabilities were brought.";
  const auto& choice = found.choice;
  const auto& name = found.candidates[choice.chosen].name;
  if (!choice.measured) {
    return fmt::format("The saved model is `{}`; that it is the best one is an assumption, not measured.", name);
  }
  auto text = fmt::format("The saved model is `{}`: {} right on trusted samples that it had not seen", name,
                          estimate_text(choice.accuracy[choice.chosen]));
  if (choice.chosen == choice.simplest) return text + "; nothing was clearly better than this simple way.";
  return text + fmt::format(", {:+.1f} points ({:+.1f} to {:+.1f}) against `{}`, the best simple way.",
                            100 * choice.margin.value, 100 * *choice.margin.low, 100 * *choice.margin.high,
                            found.candidates[choice.simplest].name);
}

}  // namespace

std::string samples_csv(const std::vector<DatasetFindings>& all, bool flagged_only) {
  auto text = fmt::format("dataset,id,given_label,predicted_label,wrong_probability{}\n", inspection_columns);
  for (const auto& [found, j] : most_suspicious_first(all, flagged_only)) {
    text += sample_fields(*found, j) + inspection_cells(*found, j) + "\n";
  }
  return text;
}

std::string review_csv(const std::vector<DatasetFindings>& all) {
  std::string text = "dataset,id,given_label,predicted_label,wrong_probability,reason,checked_label\n";
  for (const auto& found : all) {
    for (const auto& item : found.review) text += sample_fields(found, item.sample) + "," + item.reason + ",\n";
  }
  return text;
}

std::string estimate_text(const Estimate& estimate) {
  auto text = fmt::format("{:.1f} %", 100 * estimate.value);
  if (estimate.low) text += fmt::format(" (90 % interval {:.1f} to {:.1f})", 100 * *estimate.low, 100 * *estimate.high);
  return text;
}

std::vector<std::string> promises(const DatasetFindings& found) {
  return {noise_promise(found), flagged_promise(found), quality_promise(found), model_promise(found)};
}

Json findings_json(const std::vector<DatasetFindings>& all, const Json& about) {
  Json document = {{"format", 2}};
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
  using Text = std::string (*)(const WayFigures&);
  struct Column {
    std::string title;
    bool (*has)(const WayFigures&);
    Text text;
  };
  std::vector<Column> columns{
      {"AUC of wrong labels", [](const WayFigures& way) { return way.auc.has_value(); },
       [](const WayFigures& way) { return auc_text(way.auc); }},
      {"held-out accuracy %", [](const WayFigures& way) { return way.held_out_accuracy.has_value(); },
       [](const WayFigures& way) { return interval_text(way.held_out_accuracy); }},
      {"test accuracy %", [](const WayFigures& way) { return way.test_accuracy.has_value(); },
       [](const WayFigures& way) { return percent_text(way.test_accuracy); }}};
  std::erase_if(columns,
                [&](const Column& column) { return std::none_of(found.ways.begin(), found.ways.end(), column.has); });
  std::vector<std::vector<std::string>> rows{{found.name, "learns from"}};
  for (const auto& column : columns) rows.front().push_back(column.title);
  for (const auto& way : found.ways) {
    rows.push_back({way.name, way.learns_from});
    for (const auto& column : columns) rows.back().push_back(column.text(way));
  }
  return rows;
}

}  // namespace moblo::lab::clean
