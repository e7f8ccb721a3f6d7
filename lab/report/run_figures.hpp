#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/report/figure.hpp"
#include "lab/report/report.hpp"

namespace moblo::lab::report {

using PhaseSeconds = std::vector<std::pair<std::string, double>>;

/// Where the curves of one run come from: its records, or what a live page keeps of them.
class CurveSource {
 public:
  virtual ~CurveSource() = default;
  /// "kkt", "losses[1]", ... over the iterations, and "peak_bytes"; no points where the run does not know it.
  virtual Curve curve(const std::string& quantity, const std::string& label) const = 0;
  /// How many entries a list of the records has: "losses", "weights", ...
  virtual std::size_t width(const std::string& list) const = 0;
  virtual const std::vector<Evaluation>& evaluations() const = 0;
};

/// What one run did: losses, weights, nu, q and K, conflicts, distance, gradient norms, memory, metrics.
std::vector<Figure> run_figures(const CurveSource& source, const Manifest& manifest);
std::vector<Figure> run_figures(const records::RunRecord& run);

/// One quantity of one run; "peak_bytes" and whatever quantity() knows.
Curve curve_of(const records::RunRecord& run, const std::string& quantity, const std::string& label);
std::size_t width_of(const records::RunRecord& run, const std::string& list);

/// "test accuracy / mnist" is the curve "mnist" in the figure "test accuracy".
std::pair<std::string, std::string> metric_place(const std::string& name);

/// Seconds of the whole run by phase, largest first.
PhaseSeconds seconds_by_phase(const records::RunRecord& run);
void add_seconds(const StepTiming& timing, PhaseSeconds& phases);
void sort_by_share(PhaseSeconds& phases);

}  // namespace moblo::lab::report
