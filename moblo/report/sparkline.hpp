#pragma once

#include <string>
#include <vector>

#include "moblo/report/figure.hpp"

namespace moblo {

/// Eighths of a block, one for the mean of each stretch of the points; nothing where there is no finite value.
std::string sparkline(const std::vector<Point>& points, std::size_t width, bool log);

}  // namespace moblo
