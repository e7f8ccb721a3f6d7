#pragma once

#include <string>
#include <utility>
#include <vector>

#include "moblo/report/figure.hpp"
#include "moblo/report/report.hpp"

namespace moblo {

/// What one run did: losses, weights, nu, q and K, distance, gradient norms, metrics.
std::vector<Figure> run_figures(const RunRecord& run);

/// The panels of an experiment, or the usual ones for runs put side by side: one curve a run.
std::vector<Figure> comparison_figures(const Report& report);

/// Seconds of the whole run by phase, largest first.
std::vector<std::pair<std::string, double>> seconds_by_phase(const RunRecord& run);

}  // namespace moblo
