#pragma once

#include <string>
#include <vector>

namespace moblo {

struct Point {
  double x, y;
  double deviation = 0;  ///< of y; drawn in figures of single points
};

struct Curve {
  std::string label;
  std::vector<Point> points;
};

/// Curves over the iterations, or single points with their deviations over some other value.
struct Figure {
  std::string title, y_label;
  bool log = false;
  std::vector<Curve> curves;
  std::string x_label = "iteration";
  bool single_points = false;
  bool log_x = false;
};

/// At most `limit` points: the lowest and the highest of each stretch, so that spikes stay, with both ends.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t limit);

/// A <figure> of HTML: title, legend and an inline SVG whose colours come from the page's style. Values that are not
/// finite, or not positive on a log axis, are left out; curves beyond the twelfth as well, which the legend says.
std::string figure_html(const Figure& figure);

/// Bars for shares of a whole, e.g. seconds by phase.
std::string bars_html(const std::string& title, const std::vector<std::pair<std::string, double>>& values,
                      std::string (*text)(double));

}  // namespace moblo
