#include "lab/clean/clean_files.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "lab/report/png.hpp"

namespace moblo::lab::clean {
namespace {

DatasetFindings made_findings() {
  DatasetFindings found;
  found.name = "pets, <all>";
  found.classes = {"cat", "dog \"big\""};
  found.trusted = 8;
  found.ids = {"a", "b,2", "<script>alert(1)</script>"};
  found.given = {0, 1, 0};
  found.predicted = {1, 1, 1};
  found.wrong = {0.9, 0.01, 0.95};
  found.order = {2, 0, 1};
  found.noise = {2, {0.9, 0.1, 0.2, 0.8}, 0.3};
  found.flagged = {2, {0.925, 0.8, 0.99}, 0.5, 1.0};
  found.wrong_share = {0.3, 0.2, 0.4};
  found.assumed = false;
  found.judges = {"plain", "robust"};
  found.pool.judges = {0.4, 0.6};
  found.measured = {60, 60, 0.9, 0.03, Estimate{0.8, 0.7, 0.9}};
  found.candidates = {{"plain", {1, 0}, true}, {"mixture", {0.5, 0.5}, false}};
  found.choice = {1, true, {{0.8, 0.7, 0.9}, {0.85, 0.75, 0.95}}, 0, {0.05, 0.01, 0.09}};
  found.review = {{1, "random"}};
  found.truth = std::vector<bool>{true, false, false};
  found.ways = {{"trusted labels only", "trusted", 0.9, Estimate{0.8, 0.7, 0.9}, {}},
                {"moblo clean", "trusted + noisy", 0.95, Estimate{0.85, 0.75, 0.95}, {}}};
  return found;
}

TEST(CleanFilesTest, SamplesAreSortedAndQuoted) {
  EXPECT_EQ(samples_csv({made_findings()}, false),
            "dataset,id,given_label,predicted_label,wrong_probability,duplicate_of,outlier_score,outlier\n"
            "\"pets, <all>\",<script>alert(1)</script>,cat,\"dog \"\"big\"\"\",0.95,,,\n"
            "\"pets, <all>\",a,cat,\"dog \"\"big\"\"\",0.9,,,\n"
            "\"pets, <all>\",\"b,2\",\"dog \"\"big\"\"\",\"dog \"\"big\"\"\",0.01,,,\n");
}

TEST(CleanFilesTest, WhatElseIsWrongStandsInTableJsonAndPage) {
  auto found = made_findings();
  Inspection inspection;
  inspection.duplicates = {{{{1, 2}, true, true}}, {-1, -1, 1}};
  inspection.outliers = {{4.5, 0.5, 1}, {0}, 4.5};
  inspection.overlaps = {{0, 1, 0.25, 2, {1}}};
  inspection.groups = {{"<b>", 20, 0.5, 0.4, 0.6, true}, {"b", 30, 0.1, 0.05, 0.15, true}};
  found.inspection = inspection;
  const auto text = samples_csv({found}, false);
  EXPECT_NE(text.find("0.95,\"b,2\",1,0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.9,,4.5,1\n"), std::string::npos) << text;
  const auto json = findings_json({found}, Json::object())["datasets"][0]["inspection"];
  EXPECT_EQ(json["duplicates"]["first_groups"][0]["labels_differ"], true);
  EXPECT_EQ(json["outliers"]["first"][0]["id"], "a");
  EXPECT_EQ(json["overlaps"][0]["share"], 0.25);
  EXPECT_EQ(json["labels_by_group"][0]["interval_90"][1], 0.6);
  const auto page = clean_page({found}, {{"seed", 3}});
  for (const auto* part : {"Duplicates", "Outliers", "Classes that overlap", "Labels by group", "&lt;b&gt;"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
}

TEST(CleanFilesTest, SeveralDatasetsAreOneList) {
  auto second = made_findings();
  second.name = "second";
  second.wrong = {0.92, 0.02, 0.99};
  const auto text = samples_csv({made_findings(), second}, true);
  EXPECT_LT(text.find("second,<script>"), text.find("\"pets, <all>\",<script>"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(CleanFilesTest, JsonHoldsEveryFigure) {
  const auto document = findings_json({made_findings()}, {{"seed", 3}});
  EXPECT_EQ(document["seed"], 3);
  const auto& dataset = document["datasets"][0];
  EXPECT_EQ(dataset["ways"][1]["detection_auc"], 0.95);
  EXPECT_TRUE(dataset["ways"][1]["test_accuracy"].is_null());
  EXPECT_EQ(dataset["noise"]["given_by_true_class"][1][0], 0.2);
  EXPECT_EQ(dataset["flagged"]["samples"], 2);
  EXPECT_EQ(dataset["flagged"]["promised_precision"]["low"], 0.8);
  EXPECT_EQ(dataset["model"]["chosen"], "mixture");
  EXPECT_EQ(dataset["measured"]["random_pairs"], 60);
}

TEST(CleanFilesTest, EveryPromiseHasItsIntervalAndItsGround) {
  auto found = made_findings();
  auto said = promises(found);
  EXPECT_EQ(said[0],
            "Labels that are wrong: 30.0 % (90 % interval 20.0 to 40.0) of 3. Learned from 60 samples with a given and "
            "a checked label.");
  EXPECT_NE(said[1].find("wrong among them: 92.5 % (90 % interval 80.0 to 99.0)"), std::string::npos) << said[1];
  EXPECT_NE(said[3].find("`mixture`"), std::string::npos);
  EXPECT_NE(said[3].find("+5.0 points (+1.0 to +9.0) against `plain`"), std::string::npos) << said[3];
  found.assumed = true, found.choice.measured = false, found.measured = {}, found.flagged.promised = {0.9, {}, {}};
  said = promises(found);
  EXPECT_NE(said[0].find("rests on an assumption"), std::string::npos);
  EXPECT_NE(said[1].find("not measured"), std::string::npos);
  EXPECT_NE(said[2].find("not measured"), std::string::npos);
  EXPECT_NE(said[3].find("not measured"), std::string::npos);
}

TEST(CleanFilesTest, ReviewListLeavesRoomForTheVerdict) {
  EXPECT_EQ(review_csv({made_findings()}),
            "dataset,id,given_label,predicted_label,wrong_probability,reason,checked_label\n"
            "\"pets, <all>\",\"b,2\",\"dog \"\"big\"\"\",\"dog \"\"big\"\"\",0.01,random,\n");
}

TEST(CleanFilesTest, ColumnsWithoutFiguresAreLeftOut) {
  const auto rows = comparison_rows(made_findings());
  EXPECT_EQ(rows.front(),
            (std::vector<std::string>{"pets, <all>", "learns from", "AUC of wrong labels", "held-out accuracy %"}));
  EXPECT_EQ(rows.back(), (std::vector<std::string>{"moblo clean", "trusted + noisy", "0.9500", "85.0 (75.0-95.0)"}));
}

TEST(CleanFilesTest, PageIsInertAndShowsTheGallery) {
  auto found = made_findings();
  found.gallery = {{2, 2, 1, {0, 64, 128, 255}}, {1, 1, 3, {255, 0, 0}}};
  const auto page = clean_page({found}, {{"seed", 3}});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("script-src 'sha256-"), std::string::npos) << "only scripts of the page's own may run";
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

/// Read back by the format's own rules: chunks with their checksums, rows after one filter byte each.
TEST(PngTest, ReadsBack) {
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const auto file = report::png(2, 3, 3, pixels);
  ASSERT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string data;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t length = big_endian(file, at);
    const auto body = file.substr(at + 4, length + 4);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())),
              big_endian(file, at + 8 + length));
    if (body.starts_with("IHDR")) {
      EXPECT_EQ(big_endian(body, 4), 3);
      EXPECT_EQ(big_endian(body, 8), 2);
      EXPECT_EQ(body[13], 2);
    }
    if (body.starts_with("IDAT")) data = body.substr(4);
    at += 12 + length;
  }
  std::string rows(20, '\0');
  uLongf length = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &length, reinterpret_cast<const Bytef*>(data.data()),
                       data.size()),
            Z_OK);
  ASSERT_EQ(length, 20);
  for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(static_cast<std::uint8_t>(rows[i + 1 + i / 9]), pixels[i]);
}

TEST(PngTest, Base64) {
  EXPECT_EQ(report::base64(""), "");
  EXPECT_EQ(report::base64("f"), "Zg==");
  EXPECT_EQ(report::base64("fo"), "Zm8=");
  EXPECT_EQ(report::base64("foo"), "Zm9v");
  EXPECT_EQ(report::base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace moblo::lab::clean
