#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>

#include "lab/report/live_run.hpp"
#include "lab/report/watched_folder.hpp"
#include "moblo/records/json_fields.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t a_lot = 1 << 30;

void append_steps(records::RunFolder& run, std::int64_t from, std::int64_t to) {
  for (std::int64_t k = from; k < to; ++k) {
    run.append(fixtures::sample_step(k));
    run.append(fixtures::sample_timing(k));
  }
  run.flush();
}

const Curve& first_curve(const std::vector<Figure>& figures) {
  return figures.front().curves.front();
}

TEST(LiveCurve, StaysSmallAndKeepsEverySpike) {
  LiveCurve curve;
  for (int i = 0; i < 1'000'000; ++i) curve.add(i, i == 543'210 ? 99 : i == 77 ? -99 : std::sin(i / 1e5));
  const auto points = curve.points();
  EXPECT_LE(points.size(), 2 * LiveCurve::most_stretches);
  EXPECT_GE(points.size(), LiveCurve::most_stretches);
  const auto has = [&](double x, double y) {
    return std::any_of(points.begin(), points.end(), [&](const Point& p) { return p.x == x && p.y == y; });
  };
  EXPECT_TRUE(has(543'210, 99));
  EXPECT_TRUE(has(77, -99));
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; }));
}

TEST(LiveCurve, StablePointsDoNotChangeWhileTheStrideStays) {
  LiveCurve curve;
  std::vector<Point> before;
  std::size_t stable = 0, stride = 1;
  for (int i = 0; i < 5000; ++i) {
    curve.add(i, std::cos(i));
    const auto now = curve.points();
    if (curve.stride() == stride) {
      for (std::size_t p = 0; p < stable; ++p) ASSERT_TRUE(now[p].x == before[p].x && now[p].y == before[p].y) << i;
    }
    before = now;
    stable = curve.stable();
    stride = curve.stride();
  }
}

TEST(LiveCurve, LetsNumbersWinOverWhatIsNone) {
  LiveCurve curve;
  for (std::size_t i = 0; i < 2 * LiveCurve::most_stretches + 1; ++i) {
    curve.add(static_cast<double>(i), i % 2 == 0 ? std::nan("") : 5);
  }
  for (const auto& point : curve.points()) EXPECT_TRUE(point.y == 5 || point.x == 2.0 * LiveCurve::most_stretches);
}

TEST(LiveRun, FollowsARunAsItGrows) {
  fixtures::TemporaryFolder folder;
  auto run = records::RunFolder::create(folder / "run", fixtures::sample_manifest());
  LiveRun live("run", folder / "run");
  EXPECT_FALSE(live.read_on(a_lot));
  append_steps(run, 0, 10);
  EXPECT_TRUE(live.read_on(a_lot));
  EXPECT_EQ(live.view().row.iterations, 10);
  EXPECT_EQ(live.view().row.status, RunStatus::running);
  const auto seen = live.seen();
  append_steps(run, 10, 15);
  live.read_on(a_lot);
  EXPECT_EQ(first_curve(live.figures_after(seen)).stable, 20u);
  EXPECT_EQ(first_curve(live.figures_after({})).stable, 0u);
  EXPECT_EQ(first_curve(live.figures_after({})).points.back().y, fixtures::sample_step(14).losses[0]);
  run.save_summary(fixtures::sample_summary(15));
  const auto version = live.version();
  live.read_on(a_lot);
  EXPECT_GT(live.version(), version);
  EXPECT_TRUE(live.ended());
  EXPECT_FALSE(live.read_on(a_lot));
}

TEST(LiveRun, ReadsALongRunInPieces) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 3000);
  LiveRun live("run", folder / "run");
  int pieces = 0;
  while (live.read_on(100'000)) ++pieces;
  EXPECT_GT(pieces, 5);
  EXPECT_EQ(live.view().row.iterations, 3000);
  EXPECT_NEAR(live.view().phases.front().second, 3000 * 4e-3, 1e-9);
  const auto whole = run_figures(records::read_run(folder / "run"));
  const auto figures = live.view().figures;
  ASSERT_EQ(figures.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(figures[i].title, whole[i].title);
    EXPECT_EQ(figures[i].curves.size(), whole[i].curves.size());
  }
}

TEST(LiveRun, StartsAnewWhereTheRunWasCutBack) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 100);
  LiveRun live("run", folder / "run");
  live.read_on(a_lot);
  const auto seen = live.seen();
  auto run = records::RunFolder::reopen(folder / "run", fixtures::sample_manifest(), 50);
  live.read_on(a_lot);
  EXPECT_EQ(live.view().row.iterations, 50);
  EXPECT_FALSE(live.ended());
  EXPECT_EQ(first_curve(live.figures_after(seen)).stable, 0u) << "its reader has points that are no more";
}

TEST(LiveRun, StaysSmallHoweverLongItsLinesAndLists) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 2);
  std::string evaluations, phases, losses = "0";
  for (int k = 0; k < 400'000; ++k) evaluations += fmt::format("{{\"k\":{},\"metrics\":{{\"a\":{}}}}}\n", k, k);
  for (int k = 0; k < 3000; ++k) {
    phases += fmt::format("{{\"k\":{},\"seconds\":{{\"phase {}\":1}},\"peak_bytes\":1}}\n", k, k);
    losses += ",0";
  }
  auto step = records::to_json(fixtures::sample_step(2));
  step["losses"] = Json::parse("[" + losses + "]");
  fixtures::write_raw(folder / "run/evaluations.jsonl", evaluations);
  fixtures::append_raw(folder / "run/timings.jsonl", phases);
  fixtures::append_raw(folder / "run/steps.jsonl", records::dump_json(step) + "\n");
  LiveRun live("run", folder / "run");
  while (live.read_on(1 << 20)) {
  }
  EXPECT_LE(live.evaluations().size(), 300'000u);
  EXPECT_EQ(live.evaluations()[1].k, 2) << "every second one";
  EXPECT_EQ(live.evaluations().back().k, 399'999);
  EXPECT_EQ(live.width("losses"), 1000u);
  EXPECT_LE(live.view().phases.size(), 101u);
}

TEST(LiveRun, RefusesDocumentsThatWouldTakeLong) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 2);
  std::filesystem::resize_file(folder / "run/manifest.json", 17 << 20);
  EXPECT_THAT(fixtures::error_text(ErrorKind::data, [&] { LiveRun("run", folder / "run"); }), HasSubstr("16 MB"));
}

TEST(LiveRun, ReadsNoSamplesThatLieElsewhere) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "root/run", 5);
  fixtures::write_raw(folder / "root/run/sample_weights.csv",
                      "sample,weight,given,predicted,wrong,dataset\n0,0.5,1,2,1,secret\n");
  const auto samples = [&] {
    LiveRun live("run", folder / "root/run", std::filesystem::canonical(folder / "root"));
    live.read_on(a_lot);
    return live.view().samples.size();
  };
  const auto inside = samples();
  std::filesystem::rename(folder / "root/run/sample_weights.csv", folder / "outside.csv");
  std::filesystem::create_symlink(folder / "outside.csv", folder / "root/run/sample_weights.csv");
  EXPECT_EQ(inside, 1u);
  EXPECT_EQ(samples(), 0u);
}

class ListOfRuns : public testing::Test {
 protected:
  ListOfRuns() {
    auto manifest = fixtures::sample_manifest();
    manifest.config["iterations"] = 200;
    auto running = records::RunFolder::create(folder / "b/running", manifest);
    append_steps(running, 0, 50);
    fixtures::write_sample_run(folder / "a/done", 20);
    fixtures::write_sample_run(folder / "<script>alert(1)</script>", 2, "<img src=x onerror=alert(1)>");
  }
  fixtures::TemporaryFolder folder;
};

TEST_F(ListOfRuns, SaysHowEachStands) {
  WatchedFolder watched(folder.path());
  watched.refresh();
  ASSERT_EQ(watched.runs().size(), 3u);
  const auto& running = watched.runs().front();
  EXPECT_EQ(running.name, "b/running") << "those that run come first";
  EXPECT_EQ(running.iterations, 50);
  EXPECT_DOUBLE_EQ(running.progress(), 0.25);
  ASSERT_TRUE(running.seconds_left());
  EXPECT_NEAR(*running.seconds_left(), 150 * 5.02e-3, 1e-6);
  EXPECT_EQ(watched.runs()[2].status, RunStatus::completed);
  EXPECT_FALSE(watched.runs()[2].seconds_left());
}

TEST_F(ListOfRuns, NoticesWhatIsNewAndNothingElse) {
  WatchedFolder watched(folder.path());
  watched.refresh();
  const auto version = watched.version();
  watched.refresh();
  EXPECT_EQ(watched.version(), version);
  fixtures::write_sample_run(folder / "c", 2);
  watched.refresh();
  EXPECT_EQ(watched.runs().size(), 4u);
  std::filesystem::remove_all(folder / "c");
  watched.refresh();
  EXPECT_EQ(watched.runs().size(), 3u);
  EXPECT_EQ(watched.version(), version + 2);
}

TEST_F(ListOfRuns, CallsARunSilentThatHasStoppedWriting) {
  for (const auto* file : {"manifest.json", "steps.jsonl", "timings.jsonl"}) {
    std::filesystem::last_write_time(folder / (std::string("b/running/") + file),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  WatchedFolder watched(folder.path());
  watched.refresh();
  for (const auto& run : watched.runs()) EXPECT_EQ(run.silent, run.name == "b/running");
}

TEST_F(ListOfRuns, SaysWhyARunCannotBeRead) {
  const auto whole = fixtures::text_of(folder / "a/done/manifest.json");
  fixtures::write_raw(folder / "a/done/manifest.json", "{ not json");
  WatchedFolder watched(folder.path());
  watched.refresh();
  ASSERT_EQ(watched.runs().size(), 3u);
  EXPECT_EQ(watched.runs()[1].name, "a/done") << "after those that run";
  EXPECT_THAT(watched.runs()[1].broken, testing::StartsWith("manifest.json: is not JSON"));
  EXPECT_THAT(run_list_html(watched.runs()), HasSubstr("<tr class=\"broken\">"));
  const auto version = watched.version();
  watched.refresh();
  EXPECT_EQ(watched.version(), version) << "nothing has changed";
  fixtures::write_raw(folder / "a/done/manifest.json", whole);
  watched.refresh();
  for (const auto& run : watched.runs()) EXPECT_EQ(run.broken, "") << run.name;
}

TEST_F(ListOfRuns, HasFoldersWithAnyKindOfManifest) {
  std::filesystem::create_directories(folder / "pipe");
  ASSERT_EQ(mkfifo((folder / "pipe/manifest.json").c_str(), 0600), 0);
  std::filesystem::create_directories(folder / "none/below");
  WatchedFolder watched(folder.path());
  watched.refresh();
  EXPECT_EQ(watched.runs().size(), 4u);
  EXPECT_THAT(watched.runs()[1].broken, testing::StartsWith("manifest.json: is no regular file."));
}

TEST_F(ListOfRuns, StaysWithinItsFolder) {
  namespace fs = std::filesystem;
  fs::create_symlink(folder / "b/running", folder / "a/out");
  fs::create_symlink(folder / "a/done", folder / "a/in");
  fs::create_directory_symlink(folder / "a", folder / "door");
  WatchedFolder watched(folder / "door");
  watched.refresh();
  ASSERT_EQ(watched.runs().size(), 3u);
  for (const auto& run : watched.runs()) {
    EXPECT_THAT(run.broken, testing::StartsWith(run.name == "out" ? "is a link that leads out of the" : ""))
        << run.name;
    EXPECT_EQ(run.broken.empty(), run.name != "out") << run.name;
  }
  EXPECT_THROW(LiveRun("out", folder / "a/out", watched.resolved_root()), Error);
}

TEST_F(ListOfRuns, MakesNoPathOfAName) {
  WatchedFolder watched(folder / "a");
  watched.refresh();
  EXPECT_EQ(watched.folders(), (WatchedFolder::Folders{{"done", folder / "a/done"}}));
}

TEST_F(ListOfRuns, IsHtmlInWhichNamesAreInert) {
  WatchedFolder watched(folder.path());
  watched.refresh();
  const auto html = run_list_html(watched.runs());
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("/run?name=%3Cscript%3Ealert%281%29%3C%2Fscript%3E"));
  EXPECT_THAT(run_list_html({}), HasSubstr("no run yet"));
}

}  // namespace
}  // namespace moblo::lab::report
