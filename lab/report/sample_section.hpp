#pragma once

#include <string>
#include <vector>

#include "lab/report/figure.hpp"
#include "moblo/records/sample_outcomes.hpp"

namespace moblo::lab::report {

/// The learned weights of clean and of wrong labels, and how well a threshold on them tells the two apart.
std::vector<Figure> sample_figures(const std::vector<SampleOutcomes>& all);

/// The most suspicious samples with given and predicted label: pictures, or a table where there are none.
std::string suspects_html(const SampleOutcomes& outcomes);

}  // namespace moblo::lab::report
