#pragma once

#include <string>
#include <vector>

#include "lab/report/figure.hpp"

namespace moblo::lab::report {

/// Eighths of a block, one for the mean of each stretch of the points; nothing where there is no finite value.
std::string sparkline(const std::vector<Point>& points, std::size_t width, bool log);

}  // namespace moblo::lab::report
