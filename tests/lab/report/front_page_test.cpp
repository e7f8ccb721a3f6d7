#include "lab/report/front_page.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "lab/report/report.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report::front_page_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* hostile_name = "<img src=x onerror=alert(1)> & \"a|b\"";

records::FrontRecord::Point point(std::int64_t index, std::vector<double> losses) {
  records::FrontRecord::Point point;
  point.index = index;
  point.preference = {0.25, 0.75};
  point.losses = std::move(losses);
  point.run = "points/00" + std::to_string(index);
  point.status = "completed";
  return point;
}

/// Four points: the best of the first loss, the knee, the best of the second, and a dominated one.
records::FrontRecord sample_front() {
  records::FrontRecord front;
  front.title = "a front";
  front.problem = "front_quadratic";
  front.method = "forum";
  front.objectives = {"loss", "gap"};
  front.reference_point = {1, 1};
  front.hypervolume = 0.61;
  front.points = {point(0, {0.1, 0.8}), point(1, {0.3, 0.3}), point(2, {0.8, 0.1}), point(3, {0.4, 0.5})};
  front.points[3].dominated = true;
  front.extremes = {0, 2};
  front.knee = 1;
  front.hypervolume_history = {{1, 0.18}, {2, 0.5}, {3, 0.61}, {4, 0.61}};
  front.rounds = 1;
  front.stopped_because = "all points done";
  return front;
}

std::vector<std::string> column(const Table& table, const std::string& title) {
  const auto at = std::find(table.header.begin(), table.header.end(), title) - table.header.begin();
  std::vector<std::string> cells;
  for (const auto& row : table.rows) cells.push_back(row.at(static_cast<std::size_t>(at)));
  return cells;
}

TEST(FrontTable, SaysHowEachPointStands) {
  const auto table = front_table(sample_front());
  EXPECT_EQ(column(table, "standing"), (std::vector<std::string>{"best loss", "knee", "best gap", "dominated"}));
  EXPECT_EQ(column(table, "loss"), (std::vector<std::string>{"0.1", "0.3", "0.8", "0.4"}));
  EXPECT_THAT(table.header, Not(testing::Contains("loss, retrained")));
  EXPECT_THAT(front_sentence(sample_front()), HasSubstr("4 points, 3 on the front; hypervolume 0.61; knee: point 1"));
}

TEST(FrontTable, HasTheRetrainedLossesWhereThereAreAny) {
  auto front = sample_front();
  front.points[1].refit_losses = {0.35, 0.36};
  front.points[1].refit_dominated = true;
  front.refit_hypervolume = 0.5;
  const auto table = front_table(front);
  EXPECT_EQ(column(table, "gap, retrained"), (std::vector<std::string>{"–", "0.36", "–", "–"}));
  EXPECT_EQ(column(table, "standing")[1], "knee, dominated when retrained");
  EXPECT_THAT(front_sentence(front), HasSubstr("retrained 0.5"));
}

TEST(FrontTable, PointsWithoutNumbersAreNotOnTheFront) {
  auto front = sample_front();
  front.points[1].losses = {std::nan(""), 0.1};
  front.points[2].losses = {};
  front.points[2].status = "failed";
  front.extremes = {};
  front.knee.reset();
  EXPECT_EQ(count_on_front(front), 1U);
  EXPECT_EQ(column(front_table(front), "standing"),
            (std::vector<std::string>{"on the front", "not finite", "", "dominated"}));
}

class FrontFolder : public ::testing::Test {
 protected:
  void write(const records::FrontRecord& front) { records::write_front(folder_ / "front", front); }
  Report loaded() const { return load_report({folder_ / "front"}); }
  void SetUp() override { std::filesystem::create_directories(folder_ / "front/points/001"); }

  fixtures::TemporaryFolder folder_;
};

TEST_F(FrontFolder, IsShownByEveryFormat) {
  write(sample_front());
  const auto report = loaded();
  EXPECT_EQ(report.title, "a front");
  EXPECT_THAT(terminal(report, false), HasSubstr("points/002"));
  EXPECT_THAT(markdown(report), HasSubstr("| 1 | 0.25, 0.75 | 0.3 | 0.3 | knee |"));
  EXPECT_THAT(latex(report), HasSubstr("\\begin{tabular}"));
  EXPECT_EQ(csv(report), records::front_csv(sample_front()));
  EXPECT_THAT(html(report), HasSubstr("id=\"front\""));
}

TEST_F(FrontFolder, PageStandsBesideTheRecordAndLinksToReportsThatAreThere) {
  write(sample_front());
  fixtures::write_raw(folder_ / "front/points/001/report.html", "a report");
  const auto file = write_front_page(folder_ / "front");
  EXPECT_EQ(file.filename(), "front.html");
  const auto text = fixtures::text_of(file);
  EXPECT_THAT(text, HasSubstr("<a href=\"points/001/report.html\">points/001</a>"));
  EXPECT_THAT(text, Not(HasSubstr("points/002/report.html")));
  EXPECT_THAT(text, Not(HasSubstr("connect-src")));
}

TEST_F(FrontFolder, ARunThatLeadsOutOfItIsNoLink) {
  auto front = sample_front();
  fixtures::write_raw(folder_ / "report.html", "elsewhere");
  front.points[0].run = "..";
  front.points[1].run = (folder_ / "front/..").string();
  write(front);
  const auto page = html(loaded());
  EXPECT_THAT(page, Not(HasSubstr("report.html\">")));
}

TEST_F(FrontFolder, NamesStayText) {
  auto front = sample_front();
  front.title = front.problem = front.stopped_because = hostile_name;
  front.objectives = {hostile_name, "gap"};
  for (auto& one : front.points) one.status = one.run = one.model = hostile_name;
  write(front);
  EXPECT_THAT(html(loaded()), Not(HasSubstr("<img")));
}

TEST_F(FrontFolder, WithoutARecordThePageIsRefused) {
  EXPECT_THROW(write_front_page(folder_ / "front"), Error);
}

TEST_F(FrontFolder, OfNoPointsIsShownToo) {
  records::FrontRecord empty;
  empty.objectives = {"F1", "F2", "F3", "F4"};
  write(empty);
  EXPECT_THAT(html(loaded()), HasSubstr("id=\"front\""));
  EXPECT_THAT(terminal(loaded(), false), HasSubstr("0 points"));
}

}  // namespace
}  // namespace moblo::lab::report::front_page_test
