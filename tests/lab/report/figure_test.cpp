#include "lab/report/figure.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/report/axis.hpp"
#include "lab/report/number_text.hpp"
#include "moblo/base/json.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<Point> wave(std::size_t size) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < size; ++i) {
    points.push_back({static_cast<double>(i), 2 + std::sin(static_cast<double>(i) / 100)});
  }
  return points;
}

TEST(Thinned, KeepsBothEndsAndEverySpike) {
  auto points = wave(100'000);
  points[54'321].y = 50;
  points[77'777].y = -50;
  const auto kept = thinned(points, 1000);
  EXPECT_LE(kept.size(), 1000u);
  EXPECT_EQ(kept.front().x, 0);
  EXPECT_EQ(kept.back().x, 99'999);
  const auto [low, high] =
      std::minmax_element(kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  EXPECT_EQ(high->x, 54'321);
  EXPECT_EQ(low->x, 77'777);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.x < b.x; }));
}

TEST(Thinned, LeavesAShortCurveAlone) {
  EXPECT_EQ(thinned(wave(10), 1000).size(), 10u);
}

TEST(LogAxis, HasDecadesAsTicks) {
  const auto axis = log_axis(3e-4, 20);
  EXPECT_NEAR(axis.low, 1e-4, 1e-12);
  EXPECT_NEAR(axis.high, 100, 1e-9);
  EXPECT_EQ(axis.ticks.size(), 7u);
  EXPECT_THAT(axis.ticks.front().label, HasSubstr("−4"));
  EXPECT_NEAR(axis.position(0.1), 0.5, 1e-12);
}

TEST(LogAxis, OfManyDecadesHasFewTicks) {
  EXPECT_LE(log_axis(1e-300, 1e300).ticks.size(), 8u);
  EXPECT_GE(log_axis(2, 2).ticks.size(), 2u);
  EXPECT_GE(log_axis(10, 10).ticks.size(), 2u);
}

TEST(LinearAxis, HoldsItsRangeBetweenRoundTicks) {
  for (const auto& [low, high] : {std::pair(0.13, 0.97), std::pair(-5.0, 5.0), std::pair(7.0, 7.0), std::pair(0.0, 0.0),
                                  std::pair(1e-12, 2e-12), std::pair(-1e300, 1e300)}) {
    const auto axis = linear_axis(low, high);
    EXPECT_LE(axis.low, low);
    EXPECT_GE(axis.high, high);
    EXPECT_GE(axis.ticks.size(), 3u);
    EXPECT_LE(axis.ticks.size(), 9u);
  }
}

TEST(FigureHtml, LeavesOutWhatItsAxisCannotShow) {
  const double infinity = std::numeric_limits<double>::infinity();
  Figure figure{
      "t", "y", true, {{"a", {{0, 1}, {1, 0}, {2, -3}, {3, infinity}, {4, std::nan("")}, {5, 10}, {6, 1e308}}}}};
  for (const bool log : {true, false}) {
    figure.log = log;
    const auto text = figure_html(figure);
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    EXPECT_THAT(text, Not(HasSubstr("inf")));
    EXPECT_THAT(text, HasSubstr("<path class=\"curve s0\""));
  }
}

TEST(FigureHtml, DrawsDecadesAlongALogXAxis) {
  Figure figure{"t", "y", false, {{"a", {{1, 0}, {10, 1}, {100, 2}}}}, "factor"};
  EXPECT_THAT(figure_html(figure), Not(HasSubstr("class=\"power\"")));
  figure.log_x = true;
  EXPECT_THAT(figure_html(figure), HasSubstr("class=\"power\""));
  figure.curves[0].points[0].x = 0;  // no place on such an axis
  EXPECT_THAT(figure_html(figure), Not(HasSubstr("class=\"power\"")));
}

TEST(FigureHtml, SaysSoWhereThereIsNothingToDraw) {
  EXPECT_THAT(figure_html({"t", "y", true, {{"a", {{0, 0}}}}}), HasSubstr("no values to draw"));
  EXPECT_THAT(figure_html({"t", "y", true, {}}), HasSubstr("no values to draw"));
}

TEST(FigureHtml, DrawsASinglePointAsADot) {
  EXPECT_THAT(figure_html({"t", "y", false, {{"a", {{0, 5}}}}}), HasSubstr("<circle class=\"dot f0\""));
}

TEST(FigureHtml, SaysHowManyCurvesItDoesNotDraw) {
  Figure figure{"t", "y", false, {}};
  for (int i = 0; i < 15; ++i) figure.curves.push_back({std::to_string(i), {{0, 1}, {1, 2}}});
  EXPECT_THAT(figure_html(figure), HasSubstr("and 3 more, not drawn"));
}

TEST(FigureJson, HoldsFewPointsAndNoStringThatIsNotQuoted) {
  Figure figure{"a \"title\"", "y", false, {{"<b>", wave(100'000)}}};
  const auto json = Json::parse(figure_json(figure));
  EXPECT_EQ(json["title"], "a \"title\"");
  EXPECT_EQ(json["curves"][0]["label"], "<b>");
  EXPECT_LE(json["curves"][0]["x"].size(), 800u);
  EXPECT_EQ(json["curves"][0]["x"].size(), json["curves"][0]["y"].size());
  EXPECT_EQ(json["curves"][0]["x"].back(), 99'999);
}

TEST(FigureJson, LeavesOutWhatItsReaderHas) {
  Figure figure{"t", "y", true, {{"a", {{0, 1}, {1, -1}, {2, 3}, {3, 4}}, false, 3}}};
  const auto curve = Json::parse(figure_json(figure))["curves"][0];
  EXPECT_EQ(curve["from"], 2) << "of the first three, one cannot be drawn";
  EXPECT_EQ(curve["x"], Json::array({3}));
}

TEST(FigureJson, OfANoisyCurveHasItsTrend) {
  std::vector<Point> noise;
  for (int i = 0; i < 5000; ++i) noise.push_back({static_cast<double>(i), i % 2 == 0 ? 1.0 : 3.0});
  const auto curve = Json::parse(figure_json({"t", "y", false, {{"a", noise}}}))["curves"][0];
  ASSERT_TRUE(curve.contains("trend"));
  EXPECT_NEAR(curve["trend"]["y"][10].get<double>(), 2, 0.05);
  EXPECT_FALSE(Json::parse(figure_json({"t", "y", false, {{"a", wave(5000)}}}))["curves"][0].contains("trend"));
}

TEST(NumberText, HasFourDigitsAndIsScientificAtTheEnds) {
  const std::pair<double, const char*> rows[] = {{0, "0"},
                                                 {1, "1"},
                                                 {0.5, "0.5"},
                                                 {1.0 / 3, "0.3333"},
                                                 {-2.0 / 3, "-0.6667"},
                                                 {12.3456, "12.35"},
                                                 {12345.6, "12346"},
                                                 {99940, "99940"},
                                                 {100000, "1e5"},
                                                 {123456, "1.235e5"},
                                                 {0.001, "0.001"},
                                                 {0.00099999, "0.001"},
                                                 {0.000999949, "9.999e-4"},
                                                 {1.5e-5, "1.5e-5"},
                                                 {-1e-300, "-1e-300"},
                                                 {0.0012345, "0.001234"}};
  for (const auto& [value, text] : rows) EXPECT_EQ(number_text(value), text) << value;
  EXPECT_EQ(number_text(std::nan("")), "NaN");
  EXPECT_EQ(number_text(std::optional<double>()), "–");
  EXPECT_EQ(count_text(20'000), "20k");
  EXPECT_EQ(count_text(1'500'000), "1.5M");
}

TEST(Escaping, MakesStringsInertInEachFormat) {
  EXPECT_EQ(html_escaped("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  EXPECT_EQ(markdown_escaped("a|b\n<"), "a\\|b &lt;");
  EXPECT_EQ(latex_escaped("[50%]_"), "{[}50\\%]\\_");
  EXPECT_EQ(base::csv_field("plain"), "plain");
  EXPECT_EQ(base::csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(base::csv_field("say \"x\"\r\n"), "\"say \"\"x\"\"\r\n\"");
}

TEST(SignedBars, StartAtZeroOnACommonScaleTheLargestFirst) {
  const auto html = signed_bars_html("delta_p", {{"<worse>", -3, "-3"}, {"better", 1, "+1"}});
  EXPECT_LT(html.find("better"), html.find("&lt;worse&gt;"));
  EXPECT_NE(html.find("class=\"\" style=\"margin-left:75.00%;width:25.00%\""), std::string::npos) << html;
  EXPECT_NE(html.find("class=\"negative\" style=\"margin-left:0.00%;width:75.00%\""), std::string::npos) << html;
}

}  // namespace
}  // namespace moblo::lab::report
