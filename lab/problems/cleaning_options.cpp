#include "lab/problems/cleaning_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "lab/data/dataset_catalogue.hpp"
#include "lab/problems/cleaning.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::problems {

const OptionTable<HyperCleaningOptions>& HyperCleaningOptions::table() {
  static const auto table = [] {
    using O = HyperCleaningOptions;
    OptionTable<O> t;
    t.add("datasets", &O::datasets, "one objective each; `moblo list datasets` shows them");
    t.add("data", &O::data, "directory with one folder per dataset; empty = MOBLO_DATA, the cache, the system's");
    t.add("train", &O::train, "training samples per dataset, one weight each", at_least(1));
    t.add("upper", &O::upper, "trusted samples per dataset for the upper losses", at_least(1));
    t.add("select", &O::select, "trusted samples per dataset that choose the model", at_least(1));
    t.add("test", &O::test, "test samples per dataset", at_least(1));
    t.add("wrong", &O::wrong, "share of the training labels that are drawn again", within(0, 1));
    t.add("noise", &O::noise, "among which classes they are drawn");
    t.add("weights", &O::weights,
          "where they start: all one half, or the truth, 0 for wrong labels and 1 for right ones (a yardstick)");
    t.add("hidden", &O::hidden, "widths of the shared layers", at_least(1));
    t.add("extra_layers", &O::extra_layers, "more layers, as wide as the first, after it", within(0, 1000));
    t.add("batch", &O::batch, "samples per dataset in a batch", at_least(1));
    t.add("dtype", &O::dtype, "single or double precision");
    return t;
  }();
  return table;
}

void HyperCleaningOptions::refuse_contradictions(const OptionPlace& place) const {
  const auto refuse = [&](const std::string& key, const std::string& rule, const std::string& next) {
    throw Error(ErrorKind::config, place.child(key).text(), rule, next);
  };
  if (datasets.empty()) refuse("datasets", "the list is empty", "Name at least one dataset");
  for (const auto& name : datasets) data::find_idx_dataset(name);
  if (std::set(datasets.begin(), datasets.end()).size() != datasets.size()) {
    refuse("datasets", "a dataset is named twice", "Name each once");
  }
  if (hidden.empty()) refuse("hidden", "the list is empty", "Give at least one width, e.g. [512, 256]");
  for (const double width : hidden) {
    if (width != std::floor(width)) refuse("hidden", fmt::format("{} is not a whole number", width), "Round it");
  }
}

ProblemInfo hyper_cleaning_info() {
  return problem::make_problem_info<HyperCleaningOptions>(
      "hyper_cleaning", "the paper's data hyper-cleaning: half of the labels are wrong, one weight per training sample",
      {.interchangeable_batches = false}, make_hyper_cleaning);
}

}  // namespace moblo::lab::problems
