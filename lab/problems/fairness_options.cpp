#include "lab/problems/fairness_options.hpp"

#include "lab/problems/fairness.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::problems {

const OptionTable<FairnessOptions>& FairnessOptions::table() {
  static const auto table = [] {
    using O = FairnessOptions;
    OptionTable<O> t;
    t.add("dataset", &O::dataset, "Adult, COMPAS, or a CSV file of your own");
    t.add("data", &O::data,
          "directory that holds fairness/adult.csv, fairness/compas.csv; empty = MOBLO_DATA, the cache");
    t.add("file", &O::file, "dataset = \"file\": a CSV with a header, also .csv.gz");
    t.add("label", &O::label, "dataset = \"file\": the column of labels, which has two values");
    t.add("positive", &O::positive, "dataset = \"file\": the label that is wished for; empty: 1, true or yes");
    t.add("split", &O::split, "dataset = \"file\": a column with train or test in it; empty: drawn by the seed");
    t.add("protected", &O::protected_column,
          "the column that makes groups and is no input; empty: sex for Adult, race for COMPAS");
    t.add(
        "groups", &O::groups,
        "its values that are groups, all others together being one more; empty: those of the dataset, or every value");
    t.add("left_out", &O::left_out, "columns that are no inputs");
    t.add("numbers", &O::numbers, "columns of numbers, where other texts are refused");
    t.add("amounts", &O::amounts, "columns of numbers of at least 0 that are taken as log(1 + x)");
    t.add("categories", &O::categories, "columns of categories, though they may look like numbers");
    t.add("weights", &O::weights, "one for each group and label, or one per training sample");
    t.add("measure", &O::measure, "parity: of everybody's scores; opportunity: of the scores of positive labels");
    t.add("train", &O::train, "training samples; 0 = what the other parts leave", at_least(0));
    t.add("validation", &O::validation, "samples of the upper losses; 0 = a quarter of those that are not for tests",
          at_least(0));
    t.add("select", &O::select, "samples that choose a model; 0 = none", at_least(0));
    t.add("test", &O::test, "test samples where no column says which; 0 = three tenths", at_least(0));
    t.add("hidden", &O::hidden, "width of a hidden layer; 0 = logistic regression", within(0, 1e6));
    t.add("ridge", &O::ridge, "factor of |w|^2 / 2 in the lower loss", at_least(0));
    t.add("batch", &O::batch, "training samples in a batch", at_least(1));
    t.add("validation_batch", &O::validation_batch, "samples in a batch of the upper losses", at_least(1));
    t.add("baseline", &O::baseline,
          "weights that are not learned, on training and validation samples: for comparisons");
    t.add("penalty", &O::penalty, "baseline = \"penalty\": factor of the squared gap in the training loss",
          at_least(0));
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

void FairnessOptions::refuse_contradictions(const OptionPlace& place) const {
  const auto refuse = [&](const char* key, const char* rule, const char* next) {
    throw Error(ErrorKind::config, place.child(key).text(), rule, next);
  };
  if (dataset == FairnessTable::file) {
    if (file.empty()) refuse("file", "is missing, and dataset is \"file\"", "Name a CSV file");
    if (label.empty()) refuse("label", "is missing, and dataset is \"file\"", "Name the column of labels");
    if (protected_column.empty())
      refuse("protected", "is missing, and dataset is \"file\"", "Name the column of groups");
    if (label == protected_column) refuse("protected", "is the column of labels too", "Name another column");
    return;
  }
  for (const auto& [key, given] : {std::pair{"file", &file}, std::pair{"label", &label},
                                   std::pair{"positive", &positive}, std::pair{"split", &split}}) {
    if (!given->empty())
      refuse(key, "is given, and dataset is not \"file\"", "Say dataset = \"file\", or leave it out");
  }
  if (!protected_column.empty() && protected_column != "sex" && protected_column != "race") {
    refuse("protected", "is neither \"sex\" nor \"race\"", "Choose one of the two");
  }
  if (dataset == FairnessTable::adult && test > 0) {
    refuse("test", "Adult has a published test part", "Leave it out");
  }
}

ProblemInfo fairness_info() {
  return problem::make_problem_info<Fairness, FairnessOptions>(
      "fairness", "weights that make a classifier fairer: validation loss against the gap between groups",
      {.interchangeable_batches = false});
}

}  // namespace moblo::lab::problems
