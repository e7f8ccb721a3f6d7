#include "moblo/records/records.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_scanner.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records {
namespace {

using fixtures::error_text;
using testing::HasSubstr;

TEST(StepRecordJson, DoublesComeBackBitForBit) {
  std::mt19937_64 bits(7);
  for (int trial = 0; trial < 2000; ++trial) {
    auto record = fixtures::sample_step(trial);
    const auto word = bits();
    std::memcpy(&record.q, &word, sizeof word);
    if (!std::isfinite(record.q)) continue;
    const auto line = to_json(record).dump();
    EXPECT_EQ(step_record(Json::parse(line)), record);
    EXPECT_EQ(to_json(step_record(Json::parse(line))).dump(), line);
  }
}

TEST(LineScanner, ReadsWhatIsWrittenBitForBit) {
  std::mt19937_64 bits(8);
  for (int trial = 0; trial < 5000; ++trial) {
    auto record = fixtures::sample_step(trial);
    if (trial % 2 == 0) record.distance.reset();
    if (trial % 3 == 0) record.losses.clear();
    const auto word = bits();
    std::memcpy(&record.q, &word, sizeof word);
    if (!std::isfinite(record.q)) continue;
    const auto scanned = scan_step(dump_json(to_json(record)));
    ASSERT_TRUE(scanned);
    EXPECT_EQ(*scanned, record);
    EXPECT_EQ(std::signbit(scanned->q), std::signbit(record.q));
  }
  const auto timing = scan_timing(dump_json(to_json(fixtures::sample_timing(4))));
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->seconds, fixtures::sample_timing(4).seconds);
}

TEST(LineScanner, LeavesEveryOtherShapeToTheJsonReader) {
  auto record = fixtures::sample_step(3);
  const auto line = dump_json(to_json(record));
  for (std::size_t size = 0; size < line.size(); ++size) EXPECT_FALSE(scan_step(line.substr(0, size)));
  EXPECT_FALSE(scan_step(line + " "));
  EXPECT_FALSE(scan_step(" " + line));
  EXPECT_FALSE(scan_timing(line));
  record.q = std::nan("");
  EXPECT_FALSE(scan_step(dump_json(to_json(record))));
  record = fixtures::sample_step(3);
  record.qp_status = "a \"word\"";
  EXPECT_FALSE(scan_step(dump_json(to_json(record))));
  for (const auto* odd :
       {R"({"k":nan,"seconds":{},"peak_bytes":1})", R"({"k":1,"seconds":{"a":inf},"peak_bytes":1})",
        R"({"k":-1,"seconds":{},"peak_bytes":1})", R"({"k":1.5,"seconds":{},"peak_bytes":1})",
        R"({"k":1,"seconds":{"a":1,},"peak_bytes":1})", R"({"k":1,"seconds":{,"a":1},"peak_bytes":1})",
        R"({"k":1,"seconds":{"a":-0},"peak_bytes":1})", R"({"k":-0,"seconds":{},"peak_bytes":1})"}) {
    EXPECT_FALSE(scan_timing(odd)) << odd;
  }
}

TEST(StepRecordJson, KeysStandInTheOrderOfTheStruct) {
  EXPECT_THAT(to_json(fixtures::sample_step(3)).dump(), testing::StartsWith(R"({"k":3,"losses":[)"));
}

TEST(StepRecordJson, LeavesOutADistanceThatIsNotKnown) {
  auto record = fixtures::sample_step(0);
  record.distance.reset();
  const auto json = to_json(record);
  EXPECT_FALSE(json.contains("distance"));
  EXPECT_EQ(step_record(json), record);
}

TEST(StepRecordJson, KeepsNumbersThatAreNotFinite) {
  auto record = fixtures::sample_step(0);
  record.losses = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  record.q = std::nan("");
  const auto back = step_record(Json::parse(to_json(record).dump()));
  EXPECT_EQ(back.losses, record.losses);
  EXPECT_TRUE(std::isnan(back.q));
}

TEST(StepRecordJson, NamesTheKeyThatIsMissingOrHasTheWrongType) {
  const auto whole = to_json(fixtures::sample_step(0));
  for (auto entry = whole.begin(); entry != whole.end(); ++entry) {
    auto broken = whole;
    broken[entry.key()] = Json::object();
    EXPECT_THAT(error_text(ErrorKind::data, [&] { step_record(broken); }), HasSubstr("'" + entry.key() + "'"));
    if (entry.key() == "distance" || entry.key() == "gradients") continue;  // older records lack them
    broken.erase(entry.key());
    EXPECT_THAT(error_text(ErrorKind::data, [&] { step_record(broken); }), HasSubstr("is missing"));
  }
}

TEST(StepRecordJson, RefusesWhatIsNoObjectAndANegativeIteration) {
  error_text(ErrorKind::data, [] { step_record(Json::array()); });
  error_text(ErrorKind::data, [] { step_record(Json(3)); });
  auto json = to_json(fixtures::sample_step(0));
  json["k"] = -1;
  EXPECT_THAT(error_text(ErrorKind::data, [&] { step_record(json); }), HasSubstr("'k' is -1"));
  json["k"] = 18446744073709551615ull;
  EXPECT_THAT(error_text(ErrorKind::data, [&] { step_record(json); }), HasSubstr("must be an integer"));
}

TEST(OtherRecords, ComeBackAsTheyWere) {
  const auto timing = step_timing(Json::parse(to_json(fixtures::sample_timing(4)).dump()));
  EXPECT_EQ(timing.k, 4);
  EXPECT_EQ(timing.seconds, fixtures::sample_timing(4).seconds);
  EXPECT_EQ(timing.peak_bytes, 120 << 20);

  const Evaluation measured{9, {{"test accuracy / mnist", 0.98}, {"AUC", std::nan("")}}};
  const auto read = evaluation(Json::parse(to_json(measured).dump()));
  EXPECT_EQ(read.k, 9);
  EXPECT_EQ(read.metrics.front(), measured.metrics.front());
  EXPECT_TRUE(std::isnan(read.metrics.back().second));
}

TEST(OtherRecords, ManifestAndSummaryComeBackAsTheyWere) {
  auto written = fixtures::sample_manifest();
  written.amendments = {"iterations 10 -> 20"};
  EXPECT_EQ(to_json(manifest(to_json(written))), to_json(written));
  const auto ended = fixtures::sample_summary(10);
  const auto json = to_json(ended);
  EXPECT_EQ(json.at("final"), ended.final_state);
  EXPECT_EQ(json.at("status"), "completed");
  EXPECT_EQ(to_json(summary(json)), json);
}

TEST(OtherRecords, SummaryRefusesAStatusItDoesNotKnow) {
  auto json = to_json(fixtures::sample_summary(1));
  json["status"] = "splendid";
  EXPECT_THAT(error_text(ErrorKind::data, [&] { summary(json); }), HasSubstr("'splendid'"));
}

TEST(DumpJson, ReplacesBytesThatAreNotUtf8InsteadOfFailing) {
  EXPECT_THAT(dump_json(Json{{"title", "caf\xe9"}}), HasSubstr("caf"));
}

}  // namespace
}  // namespace moblo::records
