#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"
#include "moblo/base/status.hpp"

namespace moblo::records {

/// Passes that an iteration computed: gradients of f and of single F_i, and products with second derivatives of f.
struct MOBLO_API GradientCounts {
  std::int64_t lower = 0, upper = 0, second_order = 0;

  GradientCounts operator-(const GradientCounts& other) const {
    return {lower - other.lower, upper - other.upper, second_order - other.second_order};
  }
  bool operator==(const GradientCounts&) const = default;
};

/// What one iteration did. Only what is a function of the manifest stands here, so that a resumed run's records equal
/// the uninterrupted one's byte for byte; what the machine took for it is a StepTiming.
struct MOBLO_API StepRecord {
  std::int64_t k = 0;
  std::vector<double> losses;            ///< F_i(z_k)
  double lower_loss = 0;                 ///< f(z_k)
  double q = 0;                          ///< q(z_k) = f(z_k) - f(alpha_k, w~_T)
  double kkt = 0;                        ///< K(z_k) = |sum lambda~_i g_i + nu grad q|^2
  std::vector<double> weights;           ///< lambda~
  std::vector<double> solved_weights;    ///< lambda, as the QP gave it
  double nu = 0;                         ///< multiplier of grad q
  std::vector<double> gradient_norms;    ///< |g_i|, then |grad q|
  std::vector<double> conflict_cosines;  ///< cos(g_i, g_j) for i < j, row by row
  std::string qp_status;
  double qp_residual = 0;
  std::optional<double> distance;  ///< to the solution set, where the problem knows it
  GradientCounts gradients;        ///< what it took; all 0 in records of versions that did not count

  bool operator==(const StepRecord&) const = default;
};

struct MOBLO_API StepTiming {
  std::int64_t k = 0;
  std::vector<std::pair<std::string, double>> seconds;  ///< by phase
  std::int64_t peak_bytes = 0;
};

/// Metrics of a model at one iteration, by name ("test accuracy / mnist").
struct MOBLO_API Evaluation {
  std::int64_t k = 0;
  std::vector<std::pair<std::string, double>> metrics;
};

/// All that is needed to run it again and get the same numbers.
struct MOBLO_API Manifest {
  std::string created;
  std::string title;
  Json config;                          ///< resolved: every option with its value
  Json runtime;                         ///< versions, CPU, BLAS kernel, threads, allocator
  Json problem;                         ///< traits: m, n, p, dtype, predicted memory
  Json datasets;                        ///< names and checksums
  std::vector<std::string> amendments;  ///< what a resume changed
  Json warm_start;                      ///< the run at whose end it began: name, iterations, digest of its state
};

/// A model as a refit measures it: means over the same batches for both models.
struct MOBLO_API RefitModel {
  std::vector<double> losses;  ///< F_1 .. F_m
  double lower_loss = 0;       ///< f
  std::vector<std::pair<std::string, double>> metrics;
};

/// What alpha alone is worth: the lower level solved again at the run's alpha, beside the joint model of the run.
struct MOBLO_API Refit {
  std::string from;                 ///< "fresh": from omega_0; "current": from the run's omega
  std::int64_t steps = 0;           ///< lower steps that were made
  std::int64_t steps_of_model = 0;  ///< and after which of them the model was best, by `select`
  RefitModel joint, alone;
};

/// How it ended.
struct MOBLO_API Summary {
  RunStatus status = RunStatus::running;
  std::string message;
  std::int64_t iterations = 0;
  double seconds = 0;
  std::vector<std::string> warnings;  ///< what was found odd before the first iteration

  // At the end of a run that was not ended by an error; otherwise empty and NaN.
  std::vector<double> losses;  ///< F_1 .. F_m
  double lower_loss = std::numeric_limits<double>::quiet_NaN();
  double q = std::numeric_limits<double>::quiet_NaN();
  double kkt = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> weights;  ///< lambda~
  double nu = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> alpha, omega;  ///< of problems with at most 32 variables in a level
  std::optional<Refit> refit;        ///< of runs on two levels, unless it was switched off or interrupted
  Json final_state;                  ///< the same as JSON, with what else is known: distance, the selected model
};

MOBLO_API Json to_json(const StepRecord& record);
MOBLO_API StepRecord step_record(const Json& json);
MOBLO_API Json to_json(const StepTiming& timing);
MOBLO_API StepTiming step_timing(const Json& json);
MOBLO_API Json to_json(const Evaluation& evaluation);
MOBLO_API Evaluation evaluation(const Json& json);
MOBLO_API Json to_json(const Manifest& manifest);
MOBLO_API Manifest manifest(const Json& json);
MOBLO_API Json to_json(const Refit& refit);
MOBLO_API Refit refit(const Json& json);
MOBLO_API Json to_json(const Summary& summary);
MOBLO_API Summary summary(const Json& json);

}  // namespace moblo::records

namespace moblo {

using records::Evaluation;
using records::GradientCounts;
using records::Manifest;
using records::StepRecord;
using records::StepTiming;
using records::Summary;

}  // namespace moblo
