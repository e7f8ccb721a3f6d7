#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/base/status.hpp"

namespace moblo {

/// What one iteration did. Only what is a function of the manifest stands here, so that a resumed run's records equal
/// the uninterrupted one's byte for byte; what the machine took for it is a StepTiming.
struct StepRecord {
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

  bool operator==(const StepRecord&) const = default;
};

struct StepTiming {
  std::int64_t k = 0;
  std::vector<std::pair<std::string, double>> seconds;  ///< by phase
  std::int64_t peak_bytes = 0;
};

/// Metrics of a model at one iteration, by name ("test accuracy / mnist").
struct Evaluation {
  std::int64_t k = 0;
  std::vector<std::pair<std::string, double>> metrics;
};

/// All that is needed to run it again and get the same numbers.
struct Manifest {
  std::string created;
  std::string title;
  Json config;                          ///< resolved: every option with its value
  Json runtime;                         ///< versions, CPU, BLAS kernel, threads, allocator
  Json problem;                         ///< traits: m, n, p, dtype, predicted memory
  Json datasets;                        ///< names and checksums
  std::vector<std::string> amendments;  ///< what a resume changed
};

/// How it ended.
struct Summary {
  RunStatus status = RunStatus::running;
  std::string message;
  std::int64_t iterations = 0;
  double seconds = 0;
  Json final_state;  ///< losses, q, kkt, distance where known, alpha and omega for small problems
};

Json to_json(const StepRecord& record);
StepRecord step_record(const Json& json);
Json to_json(const StepTiming& timing);
StepTiming step_timing(const Json& json);
Json to_json(const Evaluation& evaluation);
Evaluation evaluation(const Json& json);
Json to_json(const Manifest& manifest);
Manifest manifest(const Json& json);
Json to_json(const Summary& summary);
Summary summary(const Json& json);

}  // namespace moblo
