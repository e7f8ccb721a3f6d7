#include "lab/report/sample_section.hpp"

#include <gmock/gmock.h>

#include "lab/report/number_text.hpp"

namespace moblo::lab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

SampleOutcomes four_samples() {
  return {"<b>set", {0.1, 0.9, 0.2, 1.0}, {1, 2, 3, 4}, {5, 2, 3, 4}, {true, false, true, false}, {}};
}

TEST(SampleFigures, PartRightFromWrongLabels) {
  const auto figures = sample_figures({four_samples()});
  ASSERT_EQ(figures.size(), 2u);
  ASSERT_EQ(figures[0].curves.size(), 2u);
  for (const auto& curve : figures[0].curves) {
    double sum = 0;
    for (const auto& point : curve.points) sum += point.y / 2;
    EXPECT_NEAR(sum, 100, 1e-9) << "each bin has two points";
  }
  EXPECT_EQ(figures[1].curves[0].label, "<b>set, AUC 1");
  EXPECT_EQ(figures[1].curves[0].points.back().x, 1);
  EXPECT_EQ(figures[1].curves[0].points.back().y, 1);
}

TEST(SampleFigures, HaveNoRocWhereTheTruthIsNotKnown) {
  auto outcomes = four_samples();
  outcomes.wrong.clear();
  EXPECT_EQ(sample_figures({outcomes}).size(), 1u);
  outcomes.wrong = {true, true, true, true};
  EXPECT_EQ(sample_figures({outcomes}).size(), 1u) << "one of the classes is empty";
}

TEST(Suspects, ArePicturesOrRowsWithTheNameInert) {
  auto outcomes = four_samples();
  EXPECT_THAT(suspects_html(outcomes), HasSubstr("given <b>1</b>, seen as <b>5</b>"));
  EXPECT_THAT(suspects_html(outcomes), Not(HasSubstr("<b>set")));
  outcomes.pictures.push_back({2, "png"});
  EXPECT_THAT(suspects_html(outcomes), HasSubstr("data:image/png;base64,cG5n"));
  EXPECT_THAT(suspects_html(outcomes), HasSubstr("really wrong"));
}

}  // namespace
}  // namespace moblo::lab::report
