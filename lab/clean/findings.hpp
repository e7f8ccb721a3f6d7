#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/clean/calibration.hpp"
#include "lab/clean/inspection.hpp"
#include "lab/clean/noise_model.hpp"
#include "lab/clean/thumbnail.hpp"

namespace moblo::lab::clean {

/// One way to find wrong labels and to get a model; all ways had the same data.
struct WayFigures {
  std::string name, learns_from;
  std::optional<double> auc;                ///< of finding the wrong labels, where these are known
  std::optional<double> held_out_accuracy;  ///< of its model on trusted samples that nothing learned from
  std::optional<double> test_accuracy;
};

/// How the list flagged at the stated precision did.
struct FlaggedList {
  std::size_t length = 0;
  double promised = 0;  ///< mean probability of being wrong
  std::optional<double> precision, recall;
};

/// All that was found out about one dataset. One entry a noisy sample where nothing else is said.
struct DatasetFindings {
  std::string name;
  std::vector<std::string> classes;
  std::int64_t trusted = 0, held_out = 0, test = 0;  ///< numbers of samples
  std::vector<std::string> ids;
  Labels given, predicted;
  std::vector<double> weights;     ///< what the bi-level method has learned
  std::vector<double> wrong;       ///< probability that the given label is wrong, calibrated
  std::vector<std::size_t> order;  ///< most suspicious first
  std::optional<std::vector<bool>> truth;

  NoiseModel noise;
  std::vector<double> judges;  ///< shares of the first round, the second, and the network of the trusted labels only
  double power = 1;            ///< the judges' mixture was raised to it
  Calibration calibration;
  double rehearsed_error = 0;  ///< calibration error on the held-out samples with labels drawn by the noise model
  std::optional<double> true_error;
  std::optional<double> f1;  ///< of the samples that are more probably wrong than right
  FlaggedList flagged;
  std::vector<WayFigures> ways;    ///< the baselines, then ours
  std::vector<Thumbnail> gallery;  ///< of the first samples in `order`
  std::optional<Inspection> inspection{};
};

}  // namespace moblo::lab::clean
