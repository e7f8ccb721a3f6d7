#include "moblo/records/sample_outcomes.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "moblo/records/line_tail.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records {
namespace {

using fixtures::error_text;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<SampleOutcomes> two_datasets() {
  SampleOutcomes known{"mnist", {0.25, 1e-9, 1}, {3, 5, 9}, {3, 2, 9}, {false, true, false}, {{1, "one"}, {0, "zero"}}};
  SampleOutcomes unknown{"of, \"mine\"", {0.5}, {0}, {1}, {}, {}};
  return {known, unknown};
}

TEST(SampleOutcomes, AreReadAsTheyWereWritten) {
  fixtures::TemporaryFolder folder;
  write_sample_outcomes(folder.path(), two_datasets());
  const auto read = read_sample_outcomes(folder.path());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].weights, two_datasets()[0].weights);
  EXPECT_EQ(read[0].given, two_datasets()[0].given);
  EXPECT_EQ(read[0].predicted, two_datasets()[0].predicted);
  EXPECT_EQ(read[0].wrong, two_datasets()[0].wrong);
  ASSERT_EQ(read[0].pictures.size(), 2u);
  EXPECT_EQ(read[0].pictures[0].png, "one") << "the smallest weight first";
  EXPECT_EQ(read[1].dataset, "of, \"mine\"");
  EXPECT_TRUE(read[1].wrong.empty());
}

TEST(SampleOutcomes, NameTheRowThatIsBroken) {
  fixtures::TemporaryFolder folder;
  const std::string header = "sample,weight,given,predicted,wrong,dataset\n";
  for (const std::string row :
       {"1,0.5,0,0,1,a", "0,1.5,0,0,1,a", "0,nan,0,0,1,a", "0,0.5,0,0,2,a", "0,0.5,0", "", "x"}) {
    fixtures::write_raw(folder / "sample_weights.csv", header + row + "\n");
    EXPECT_THAT(error_text(ErrorKind::data, [&] { read_sample_outcomes(folder.path()); }),
                HasSubstr("sample_weights.csv:2"))
        << row;
  }
  fixtures::write_raw(folder / "sample_weights.csv", "another header\n");
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_sample_outcomes(folder.path()); }), HasSubstr(":1"));
}

TEST(SampleOutcomes, TakeNoPictureFromElsewhere) {
  fixtures::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run/suspects");
  fixtures::write_raw(folder / "secret-0.png", "secret");
  fixtures::write_raw(folder / "run/sample_weights.csv",
                      "sample,weight,given,predicted,wrong,dataset\n0,0.5,0,0,1,../../secret\n");
  fixtures::write_raw(folder / "run/suspects/other-7.png", "not asked for");
  const auto read = read_sample_outcomes(folder / "run");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(read[0].pictures.empty());
}

TEST(SampleOutcomes, AreGoneWhereTheyWereDroppedOrNeverWritten) {
  fixtures::TemporaryFolder folder;
  EXPECT_TRUE(read_sample_outcomes(folder.path()).empty());
  write_sample_outcomes(folder.path(), two_datasets());
  drop_sample_outcomes(folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(LineTail, TakesAPipeForAnEmptyFile) {
  fixtures::TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(LineTail(pipe).read(1000, [](std::string_view) { FAIL(); }), 0u);
  EXPECT_FALSE(LineTail(pipe).was_cut());
  EXPECT_EQ(last_lines(pipe, 1000), "");
  EXPECT_EQ(last_lines("/dev/zero", 1000), "");
}

TEST(LineTail, GoesOnWhereItStoppedAndWaitsForWholeLines) {
  fixtures::TemporaryFolder folder;
  const auto file = folder / "lines";
  LineTail tail(file);
  std::vector<std::string> lines;
  const auto use = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_EQ(tail.read(100, use), 0u) << "no file yet";
  fixtures::append_raw(file, "one\ntw");
  tail.read(100, use);
  EXPECT_THAT(lines, ElementsAre("one"));
  EXPECT_EQ(tail.read(100, use), 0u);
  fixtures::append_raw(file, "o\nthree\n");
  while (tail.read(6, use) > 0) {
  }
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
  EXPECT_FALSE(tail.was_cut());
  fixtures::write_raw(file, "one\n");
  EXPECT_TRUE(tail.was_cut());
}

TEST(LastLines, AreWholeOnes) {
  fixtures::TemporaryFolder folder;
  const auto file = folder / "lines";
  EXPECT_EQ(last_lines(file, 10), "");
  fixtures::write_raw(file, "first\nsecond\nthi");
  EXPECT_EQ(last_lines(file, 1000), "first\nsecond\n");
  EXPECT_EQ(last_lines(file, 12), "second\n");
  EXPECT_EQ(last_lines(file, 4), "");
  fixtures::write_raw(file, "nothing whole");
  EXPECT_EQ(last_lines(file, 1000), "");
}

}  // namespace
}  // namespace moblo::records
