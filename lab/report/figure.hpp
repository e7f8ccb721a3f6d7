#pragma once

#include <string>
#include <utility>
#include <vector>

namespace moblo::lab::report {

struct Point {
  double x, y;
  double deviation = 0;  ///< of y: whiskers in figures of single points, else a band
};

struct Curve {
  std::string label;
  std::vector<Point> points;
  bool loose = false;      ///< points that no line joins
  std::size_t stable = 0;  ///< leading points that whoever reads the figure has already
};

/// Curves over the iterations, or over some other value.
struct Figure {
  std::string title, y_label;
  bool log = false;
  std::vector<Curve> curves;
  std::string x_label = "iteration";
  bool single_points = false;  ///< each point is a case of its own
  bool log_x = false;
  bool filled = false;  ///< a histogram: areas down to 0
  std::string note{};   ///< a sentence below it
};

/// At most `limit` points: the lowest and the highest of each stretch, so that spikes stay, with both ends.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t limit);

/// A curve as it is drawn: few points, none that its axis cannot show.
struct DrawnCurve {
  std::string label;
  std::vector<Point> points;
  std::vector<Point> trend;  ///< means of consecutive points, where the curve is too noisy to be read
  bool loose = false;
  std::size_t stable = 0;

  bool has_deviation() const;
};

constexpr std::size_t most_curves = 12;

/// Values that are not finite, or not positive on a log axis, are left out; curves beyond the twelfth as well.
std::vector<DrawnCurve> drawn_curves(const Figure& figure);

/// A <figure> of HTML: title, legend and an inline SVG whose colours come from the page's style. `index` is its place
/// in the page's data, by which a script finds it.
std::string figure_html(const Figure& figure, std::size_t index = 0);

/// What a script needs to draw it.
std::string figure_json(const Figure& figure);
std::string figures_json(const std::vector<Figure>& figures);

/// Bars for shares of a whole, e.g. seconds by phase.
std::string bars_html(const std::string& title, const std::vector<std::pair<std::string, double>>& values,
                      std::string (*text)(double));

/// Bars to both sides of zero, the largest value first.
struct SignedBar {
  std::string label;
  double value;
  std::string text;
};
std::string signed_bars_html(const std::string& title, std::vector<SignedBar> bars);

}  // namespace moblo::lab::report
