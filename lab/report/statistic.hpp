#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/report.hpp"

namespace moblo::lab::report {

/// One quantity of one case over its seeds.
struct Statistic {
  std::vector<double> values;  ///< of the runs that know it, in the order of the seeds
  std::size_t started = 0;
  std::size_t finished = 0;  ///< runs that will not go on
  std::size_t seeds = 0;     ///< that the experiment asks for

  bool complete() const { return seeds > 0 && values.size() == seeds; }
  std::optional<double> mean() const;
  /// Of a sample (divisor n - 1); none for less than two values.
  std::optional<double> deviation() const;
  Statistic times(double factor) const;
};

/// `case_name` is a case, which may have several seeds, or one run's own name. The quantity "delta_p" is the mean
/// relative improvement (%) over the case that the first table with one is `against`, by the columns that have a task.
Statistic statistic(const ExperimentRecord& experiment, const NamedRuns& runs, const std::string& case_name,
                    const std::string& quantity_name, std::optional<std::int64_t> at = std::nullopt);

/// Cases in the order of the experiment, each once however many seeds it has.
std::vector<std::string> case_names(const ExperimentRecord& experiment);
/// Whether a run is a seed of that case, or bears that name itself.
bool belongs_to(const ExperimentRecord::Case& run, const std::string& case_name);

/// "90.81 ± 0.14", the deviation with as many decimals as the mean; "90.81" where there is no deviation; an en dash.
std::string estimate_text(const std::optional<double>& mean, const std::optional<double>& deviation);
/// The same, with "(2 of 3)" where seeds are missing.
std::string statistic_text(const Statistic& statistic);

}  // namespace moblo::lab::report
