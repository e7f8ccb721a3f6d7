#include <fmt/format.h>

#include <iterator>

#include "lab/report/figure.hpp"
#include "moblo/base/json.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::report {
namespace {

/// Six digits are more than a screen can show; iterations stay whole.
std::string numbers(const std::vector<Point>& points, std::size_t from, double Point::*member, int digits) {
  std::string text = "[";
  for (std::size_t i = from; i < points.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{:.{}g}", i == from ? "" : ",", points[i].*member, digits);
  }
  return text + "]";
}

std::string coordinates(const std::vector<Point>& points, std::size_t from) {
  return fmt::format("\"x\":{},\"y\":{}", numbers(points, from, &Point::x, 9), numbers(points, from, &Point::y, 6));
}

std::string quoted(const std::string& text) {
  return records::dump_json(Json(text));
}

std::string curve_json(const DrawnCurve& curve) {
  const bool band = curve.has_deviation();
  const auto from = band ? 0 : curve.stable;  // the places of averaged points move
  auto text = fmt::format("{{\"label\":{},{}", quoted(curve.label), coordinates(curve.points, from));
  if (from > 0) text += fmt::format(",\"from\":{}", from);
  if (band) text += fmt::format(",\"d\":{}", numbers(curve.points, 0, &Point::deviation, 4));
  if (!curve.trend.empty()) text += fmt::format(",\"trend\":{{{}}}", coordinates(curve.trend, 0));
  if (curve.loose) text += ",\"loose\":true";
  return text + "}";
}

std::string_view kind_of(const Figure& figure) {
  for (const auto& curve : figure.curves) {
    if (curve.loose) return "scatter";
  }
  return figure.single_points ? "points" : "lines";
}

}  // namespace

std::string figure_json(const Figure& figure) {
  std::string curves;
  for (const auto& curve : drawn_curves(figure)) {
    curves += (curves.empty() ? "" : ",") + curve_json(curve);
  }
  return fmt::format(R"({{"title":{},"x":{},"y":{},"kind":"{}","log":{},"logX":{},"filled":{},"curves":[{}]}})",
                     quoted(figure.title), quoted(figure.x_label), quoted(figure.y_label), kind_of(figure), figure.log,
                     figure.log_x, figure.filled, curves);
}

std::string figures_json(const std::vector<Figure>& figures) {
  std::string text;
  for (const auto& figure : figures) text += (text.empty() ? "" : ",") + figure_json(figure);
  return "[" + text + "]";
}

}  // namespace moblo::lab::report
