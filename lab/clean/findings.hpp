#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/clean/choice.hpp"
#include "lab/clean/estimate.hpp"
#include "lab/clean/inspection.hpp"
#include "lab/clean/noise_model.hpp"
#include "lab/clean/pool.hpp"
#include "lab/clean/review.hpp"
#include "lab/clean/thumbnail.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// One way to find wrong labels and to get a model; all ways had the same data.
struct WayFigures {
  std::string name, learns_from;
  std::optional<double> auc;                  ///< of finding the wrong labels, where these are known
  std::optional<Estimate> held_out_accuracy;  ///< on trusted samples, each judged by models that had not seen it
  std::optional<double> test_accuracy;
};

/// How the list flagged at the stated precision did.
struct FlaggedList {
  std::size_t length = 0;
  Estimate promised;  ///< share of the list that is wrong
  std::optional<double> precision, recall;
};

/// What checked pairs say of the probabilities; each pair was judged by models and a pool that had not seen it.
struct MeasuredOnPairs {
  std::size_t pairs = 0, random = 0;
  std::optional<double> auc, error;       ///< error: calibration error
  std::optional<Estimate> right_guesses;  ///< share of predicted labels that are right
};

/// All that was found out about one dataset. One entry a noisy sample where nothing else is said.
struct DatasetFindings {
  std::string name;
  std::vector<std::string> classes;
  Json columns;                        ///< of a table: name, kind, missing, example, becomes, remark; null otherwise
  std::int64_t trusted = 0, test = 0;  ///< numbers of samples
  std::vector<std::string> ids;
  Labels given, predicted;
  std::vector<double> wrong;       ///< probability that the given label is wrong
  std::vector<std::size_t> order;  ///< most suspicious first
  std::optional<std::vector<bool>> truth;

  bool assumed = true;  ///< no pairs: how labels go wrong is an assumption
  NoiseModel noise;     ///< how labels have gone wrong
  Estimate wrong_share;
  std::vector<std::string> judges;  ///< their names
  Pool pool;
  MeasuredOnPairs measured;
  std::optional<double> true_error;  ///< calibration error where the truth is known
  std::optional<double> f1;          ///< of the samples that are more probably wrong than right
  FlaggedList flagged;
  std::vector<Candidate> candidates;  ///< for the model
  ModelChoice choice;
  std::vector<WayFigures> ways;    ///< single judges, then ours
  std::vector<ReviewItem> review;  ///< samples to look at next
  std::vector<Thumbnail> gallery;  ///< of the first samples in `order`
  std::optional<Inspection> inspection{};
};

}  // namespace moblo::lab::clean
