#pragma once

#include <string>
#include <vector>

#include "lab/report/figure.hpp"
#include "lab/report/report.hpp"

namespace moblo::lab::report {

/// Runs that differ in their seed alone. Of an experiment: the seeds of a case.
struct RunGroup {
  std::string name, first_run;
  std::vector<const records::RunRecord*> runs;
};
std::vector<RunGroup> run_groups(const Report& report);

/// The panels that an experiment asks for.
std::vector<Figure> panel_figures(const Report& report);

/// The metrics, and without such panels the usual ones: one curve per group, the mean over its seeds with a band of one
/// deviation.
std::vector<Figure> comparison_figures(const Report& report);

/// Final losses of all runs with the front of those that no other run beats in all of them: two or three losses in
/// pairs, more side by side. Nothing unless all runs have the same number.
std::vector<Figure> front_figures(const Report& report);

}  // namespace moblo::lab::report
