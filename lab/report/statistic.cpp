#include "lab/report/statistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "lab/metrics/delta_p.hpp"
#include "lab/report/number_text.hpp"

namespace moblo::lab::report {

std::optional<double> Statistic::mean() const {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> Statistic::deviation() const {
  if (values.size() < 2) return std::nullopt;
  const double centre = *mean();
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Statistic Statistic::times(double factor) const {
  Statistic scaled = *this;
  for (auto& value : scaled.values) value *= factor;
  return scaled;
}

bool belongs_to(const ExperimentRecord::Case& run, const std::string& case_name) {
  return run.name == case_name || (!run.group.empty() && run.group == case_name);
}

std::vector<std::string> case_names(const ExperimentRecord& experiment) {
  std::vector<std::string> names;
  for (const auto& one : experiment.cases) {
    const auto& name = one.group.empty() ? one.name : one.group;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

namespace {

using ExperimentTable = ExperimentRecord::Table;

const ExperimentTable* compared_table(const ExperimentRecord& experiment) {
  for (const auto& table : experiment.tables) {
    if (!table.against.empty()) return &table;
  }
  return nullptr;
}

/// delta_p of one run against the means of the single-task case; linear in the run's metrics, so that the mean over
/// seeds is delta_p of the means.
std::optional<double> delta_p_of(const records::RunRecord& run, const ExperimentTable& table,
                                 const std::vector<double>& single_task) {
  std::map<std::string, std::vector<metrics::ComparedMetric>> tasks;
  std::size_t metric = 0;
  for (const auto& column : table.columns) {
    if (column.task.empty()) continue;
    const auto value = quantity(run, column.quantity, std::nullopt);
    if (!value) return std::nullopt;
    tasks[column.task].push_back(
        {*value, single_task[metric++], column.lower_is_better ? metrics::Better::lower : metrics::Better::higher});
  }
  metrics::ComparedTasks compared;
  for (auto& [task, metrics] : tasks) compared.push_back(std::move(metrics));
  return compared.empty() ? std::nullopt : std::optional(metrics::delta_p(compared));
}

/// Empty where one of the metrics is not known yet.
std::vector<double> single_task_means(const ExperimentRecord& experiment, const NamedRuns& runs,
                                      const ExperimentTable& table) {
  std::vector<double> means;
  for (const auto& column : table.columns) {
    if (column.task.empty()) continue;
    const auto mean = statistic(experiment, runs, table.against, column.quantity).mean();
    if (!mean) return {};
    means.push_back(*mean);
  }
  return means;
}

/// How a run's value is found: a quantity of its own, or "delta_p", which is one of all of them.
std::function<std::optional<double>(const records::RunRecord&)> value_of(const ExperimentRecord& experiment,
                                                                         const NamedRuns& runs, const std::string& name,
                                                                         std::optional<std::int64_t> at) {
  const ExperimentTable* table = name == "delta_p" ? compared_table(experiment) : nullptr;
  if (!table) return [name, at](const records::RunRecord& run) { return quantity(run, name, at); };
  const auto means = single_task_means(experiment, runs, *table);
  return [table, means](const records::RunRecord& run) {
    return means.empty() ? std::nullopt : delta_p_of(run, *table, means);
  };
}

}  // namespace

Statistic statistic(const ExperimentRecord& experiment, const NamedRuns& runs, const std::string& case_name,
                    const std::string& quantity_name, std::optional<std::int64_t> at) {
  const auto value_in = value_of(experiment, runs, quantity_name, at);
  Statistic out;
  for (const auto& one : experiment.cases) {
    if (!belongs_to(one, case_name)) continue;
    ++out.seeds;
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& named) { return named.first == one.name; });
    if (run == runs.end()) continue;
    ++out.started;
    const auto& summary = run->second.summary;
    if (summary && summary->status != RunStatus::interrupted) ++out.finished;
    if (const auto value = value_in(run->second)) out.values.push_back(*value);
  }
  return out;
}

/// Four digits of the larger of the two, but no more than two of the deviation beyond the first two decimals.
std::string estimate_text(const std::optional<double>& mean, const std::optional<double>& deviation) {
  if (!mean || !deviation) return number_text(mean);
  const double size = std::max(std::abs(*mean), *deviation);
  const bool plain = number_text(size).find_first_not_of("-.0123456789") == std::string::npos;
  if (!plain) return fmt::format("{} ± {}", number_text(*mean), number_text(*deviation));
  const auto magnitude = [](double value) { return value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0; };
  int decimals = std::max(0, 3 - magnitude(size));
  if (*deviation > 0) decimals = std::min(decimals, std::max(2, 1 - magnitude(*deviation)));
  const bool nothing = std::abs(*mean) < 0.5 * std::pow(10, -decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", nothing ? 0 : *mean, decimals, *deviation, decimals);
}

std::string statistic_text(const Statistic& statistic) {
  auto text = estimate_text(statistic.mean(), statistic.deviation());
  const bool some = !statistic.values.empty() && statistic.values.size() < statistic.seeds;
  return some ? fmt::format("{} ({} of {})", text, statistic.values.size(), statistic.seeds) : text;
}

}  // namespace moblo::lab::report
