#include "lab/report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lab/report/axis.hpp"
#include "lab/report/number_text.hpp"

namespace moblo::lab::report {
namespace {

// The drawing is about as wide as a phone's screen, so that its text is not scaled down there.
constexpr double width = 420, height = 250;
constexpr double left = 56, right = 14, top = 10, bottom = 38;

struct Frame {
  Axis x, y;

  double across(double value) const { return left + x.position(value) * (width - left - right); }
  double down(double value) const { return height - bottom - y.position(value) * (height - top - bottom); }
};

struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// A tick at each value that has a point, and some room beside the outer ones.
Axis axis_of_values(const std::vector<DrawnCurve>& curves, bool log) {
  std::set<double> values;
  for (const auto& curve : curves) {
    for (const auto& point : curve.points) values.insert(point.x);
  }
  Axis axis;
  axis.log = log && *values.begin() > 0;
  axis.low = *values.begin();
  axis.high = *values.rbegin();
  if (axis.log) {
    const double room = axis.high > axis.low ? std::pow(axis.high / axis.low, 0.04) : 2;
    axis.low /= room;
    axis.high *= room;
  } else {
    const double room = axis.high > axis.low ? 0.04 * (axis.high - axis.low) : 1;
    axis.low -= room;
    axis.high += room;
  }
  for (const double value : values) axis.ticks.push_back({value, count_text(value)});
  return axis;
}

Frame frame_around(const std::vector<DrawnCurve>& curves, const Figure& figure) {
  Bounds x, y;
  for (const auto& curve : curves) {
    for (const auto& point : curve.points) {
      x.include(point.x);
      for (const double end : {point.y - point.deviation, point.y + point.deviation}) {
        y.include(figure.log && end <= 0 ? point.y : end);
      }
    }
  }
  if (figure.filled) y.include(0);
  const bool counts = figure.x_label == Figure().x_label;
  return {figure.single_points        ? axis_of_values(curves, figure.log_x)
          : figure.log_x && x.low > 0 ? log_axis(x.low, x.high)
          : counts                    ? count_axis(x.low, x.high)
                                      : linear_axis(x.low, x.high),
          figure.log ? log_axis(y.low, y.high) : linear_axis(y.low, y.high)};
}

std::string grid_svg(const Frame& frame) {
  std::string svg;
  for (const auto& tick : frame.y.ticks) {
    const double y = frame.down(tick.value);
    svg += fmt::format(R"(<path class="grid" d="M{} {:.1f}H{}"/><text class="tick y" x="{}" y="{:.1f}">{}</text>)",
                       left, y, width - right, left - 6, y + 4, tick.label);
  }
  for (const auto& tick : frame.x.ticks) {
    const double x = frame.across(tick.value);
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {}V{}"/><text class="tick x" x="{:.1f}" y="{}">{}</text>)", x,
                       top, height - bottom, x, height - bottom + 15, tick.label);
  }
  return svg;
}

std::string labels_svg(const std::string& x_label, const std::string& y_label) {
  const double middle = (top + height - bottom) / 2;
  return fmt::format(R"(<text class="label" x="{}" y="{}">{}</text>)", (left + width - right) / 2, height - 6,
                     html_escaped(x_label)) +
         fmt::format(R"svg(<text class="label" transform="translate(12 {}) rotate(-90)">{}</text>)svg", middle,
                     html_escaped(y_label));
}

std::vector<Point> on_paper(const std::vector<Point>& points, const Frame& frame) {
  std::vector<Point> out;
  out.reserve(points.size());
  for (const auto& point : points) out.push_back({frame.across(point.x), frame.down(point.y)});
  return out;
}

/// Points that fall on the same tenth of a pixel are one.
std::string path_of(const std::vector<Point>& points) {
  std::string path, before;
  for (const auto& point : points) {
    auto here = fmt::format("{:.1f} {:.1f}", point.x, point.y);
    if (here == before) continue;
    path += (path.empty() ? 'M' : 'L') + here;
    before = std::move(here);
  }
  return path;
}

std::string dot_svg(const Point& point, std::size_t index, const Frame& frame, double radius) {
  return fmt::format(R"(<circle class="dot f{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", index, frame.across(point.x),
                     frame.down(point.y), radius);
}

/// What lies between mean - deviation and mean + deviation; down to the mean where a log axis has no lower end.
std::string band_svg(const DrawnCurve& curve, std::size_t index, const Frame& frame, bool log) {
  std::vector<Point> outline;
  for (const auto& point : curve.points) outline.push_back({point.x, point.y + point.deviation});
  for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point) {
    const double low = point->y - point->deviation;
    outline.push_back({point->x, log && low <= 0 ? point->y : low});
  }
  return fmt::format(R"(<path class="band f{}" d="{}Z"/>)", index, path_of(on_paper(outline, frame)));
}

std::string area_svg(const std::vector<Point>& line, std::size_t index, const Frame& frame) {
  return fmt::format(R"(<path class="area f{}" d="{}L{:.1f} {:.1f}H{:.1f}Z"/>)", index, path_of(line), line.back().x,
                     frame.down(0), line.front().x);
}

/// A noisy curve is its mean, with the values themselves pale behind it.
std::string curve_svg(const DrawnCurve& curve, std::size_t index, const Frame& frame, const Figure& figure) {
  if (curve.points.empty()) return "";
  if (curve.points.size() == 1 && !curve.loose) return dot_svg(curve.points[0], index, frame, 4);
  std::string svg;
  if (curve.loose) {
    for (const auto& point : curve.points) svg += dot_svg(point, index, frame, 4);
    return svg;
  }
  const auto line = on_paper(curve.points, frame);
  if (figure.filled) svg += area_svg(line, index, frame);
  if (curve.has_deviation() && !figure.single_points) svg += band_svg(curve, index, frame, figure.log);
  if (!curve.trend.empty()) svg += fmt::format(R"(<path class="noise s{}" d="{}"/>)", index, path_of(line));
  return svg + fmt::format(R"(<path class="curve s{}" d="{}"><title>{}</title></path>)", index,
                           path_of(curve.trend.empty() ? line : on_paper(curve.trend, frame)),
                           html_escaped(curve.label));
}

std::string points_svg(const DrawnCurve& curve, std::size_t index, const Frame& frame, bool log) {
  std::string svg;
  for (const auto& point : curve.points) {
    const double x = frame.across(point.x);
    svg += dot_svg(point, index, frame, 3);
    if (point.deviation <= 0 || (log && point.deviation >= point.y)) continue;
    svg += fmt::format(R"(<path class="whisker s{}" d="M{:.1f} {:.1f}V{:.1f}"/>)", index, x,
                       frame.down(point.y - point.deviation), frame.down(point.y + point.deviation));
  }
  return svg;
}

std::string legend_html(const Figure& figure) {
  if (figure.curves.size() == 1 && figure.curves[0].label == figure.y_label) return "";
  std::string items;
  for (std::size_t i = 0; i < std::min(figure.curves.size(), most_curves); ++i) {
    items += fmt::format(
        R"(<li><svg viewBox="0 0 26 8" aria-hidden="true"><path class="curve s{}" d="M0 4H26"/></svg>{}</li>)", i,
        html_escaped(figure.curves[i].label));
  }
  if (figure.curves.size() > most_curves) {
    items += fmt::format("<li>and {} more, not drawn</li>", figure.curves.size() - most_curves);
  }
  return "<ul class=\"legend\">" + items + "</ul>";
}

std::string drawing_svg(const Figure& figure, const std::vector<DrawnCurve>& curves) {
  const auto frame = frame_around(curves, figure);
  auto svg = fmt::format(R"(<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">)", width, height,
                         html_escaped(figure.title)) +
             grid_svg(frame) + labels_svg(figure.x_label, figure.y_label);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    svg += curve_svg(curves[i], i, frame, figure);
    if (figure.single_points) svg += points_svg(curves[i], i, frame, figure.log);
  }
  return svg + "</svg>";
}

}  // namespace

std::string figure_html(const Figure& figure, std::size_t index) {
  const auto curves = drawn_curves(figure);
  const bool any =
      std::any_of(curves.begin(), curves.end(), [](const DrawnCurve& curve) { return !curve.points.empty(); });
  return fmt::format("<figure data-figure=\"{}\"><figcaption>{}</figcaption>{}{}{}</figure>\n", index,
                     html_escaped(figure.title), legend_html(figure),
                     any ? drawing_svg(figure, curves) : std::string("<p class=\"empty\">no values to draw</p>"),
                     figure.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>", html_escaped(figure.note)));
}

std::string bars_html(const std::string& title, const std::vector<std::pair<std::string, double>>& values,
                      std::string (*text)(double)) {
  double total = 0;
  for (const auto& [label, value] : values) total += value;
  std::string rows;
  for (const auto& [label, value] : values) {
    const double share = total > 0 ? 100 * value / total : 0;
    rows += fmt::format(
        "<tr><th>{}</th><td class=\"bar\"><span style=\"width:{:.1f}%\"></span></td>"
        "<td>{}</td><td>{:.1f} %</td></tr>",
        html_escaped(label), share, html_escaped(text(value)), share);
  }
  return fmt::format("<figure><figcaption>{}</figcaption><table class=\"bars\">{}</table></figure>\n",
                     html_escaped(title), rows);
}

std::string signed_bars_html(const std::string& title, std::vector<SignedBar> bars) {
  std::stable_sort(bars.begin(), bars.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  double low = 0, high = 0;
  for (const auto& bar : bars) {
    low = std::min(low, bar.value);
    high = std::max(high, bar.value);
  }
  const double width = high > low ? high - low : 1;
  std::string rows;
  for (const auto& bar : bars) {
    rows += fmt::format(
        "<tr><th>{}</th><td class=\"bar\"><span class=\"{}\" style=\"margin-left:{:.2f}%;width:{:.2f}%\"></span></td>"
        "<td>{}</td></tr>",
        html_escaped(bar.label), bar.value < 0 ? "negative" : "", 100 * (std::min(bar.value, 0.0) - low) / width,
        100 * std::abs(bar.value) / width, html_escaped(bar.text));
  }
  return fmt::format("<figure><figcaption>{}</figcaption><table class=\"bars signed\">{}</table></figure>\n",
                     html_escaped(title), rows);
}

}  // namespace moblo::lab::report
