#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "lab/clean/features.hpp"
#include "lab/clean/saved_model.hpp"
#include "lab/clean/score.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/readers/samples.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

std::string predictions_csv(const std::vector<std::string>& classes, const std::vector<std::string>& ids,
                            const lab::clean::ClassChances& chances, const lab::clean::Labels& labels) {
  std::string text = "id,predicted_label";
  for (const auto& name : classes) text += fmt::format(",{}", base::csv_field("p_" + name));
  text += "\n";
  for (std::size_t j = 0; j < ids.size(); ++j) {
    text +=
        fmt::format("{},{}", base::csv_field(ids[j]), base::csv_field(classes[static_cast<std::size_t>(labels[j])]));
    for (std::size_t c = 0; c < classes.size(); ++c) text += fmt::format(",{:.6g}", chances.row(j)[c]);
    text += "\n";
  }
  return text;
}

/// How many rows got which label.
std::string counts_text(const std::vector<std::string>& classes, const lab::clean::Labels& labels) {
  std::vector<std::string> counts;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    counts.push_back(
        fmt::format("{} {}", std::count(labels.begin(), labels.end(), static_cast<std::int64_t>(c)), classes[c]));
  }
  return base::join(counts);
}

}  // namespace

int predict(const PredictArguments& arguments) {
  lab::experiments::set_threads(0);
  const auto model = lab::clean::read_model(arguments.model, arguments.dataset);
  lab::data::NoisySource source;
  source.name = model.like.name;
  source.data = arguments.file;
  source.format = arguments.format;
  source.id_column = arguments.id_column;
  lab::readers::ReadingNotes notes;
  std::optional<lab::clean::NetworkFeatures> features;
  if (!model.like.features.empty()) features.emplace(Json::parse(model.like.features), lab::clean::FeatureMaking{});
  const auto rows = lab::readers::read_unlabelled(source, model.like, notes, features ? &*features : nullptr);
  const auto chances = lab::clean::predicted_chances(model, rows.inputs);
  const auto labels = lab::clean::most_probable(chances);
  const auto text = predictions_csv(model.like.classes, rows.ids, chances, labels);
  for (const auto& note : notes) {
    if (!arguments.quiet) say(note + "\n");
  }
  if (arguments.out.empty()) {
    fmt::print("{}", text);
  } else {
    records::write_text_atomically(arguments.out, text);
    if (!arguments.quiet) {
      say(fmt::format("{} rows: {}. Written to {}\n", rows.ids.size(), counts_text(model.like.classes, labels),
                      arguments.out));
    }
  }
  return 0;
}

}  // namespace moblo::cli
