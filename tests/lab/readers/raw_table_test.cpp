#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/data/csv_file.hpp"
#include "lab/readers/calendar.hpp"
#include "lab/readers/csv_samples.hpp"
#include "lab/readers/table_encoding.hpp"
#include "moblo/base/rng.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::raw_table_test {
namespace {

using testing::expect_says;
using testing::refusal_of;
using testing::source_of;
using testing::TemporaryFolder;
using testing::write_gzip;
using testing::write_text;

/// 200 rows as people keep them.
std::string customers(int rows = 200) {
  std::string text = "customer_id,name,age,city,member,since,notes,zip,empty,same,income,label,trusted\n";
  const std::vector<std::string> cities{"Paris", "Rome", "Oslo", "?"};
  const std::vector<std::string> words{"late payment reminder", "paid in full again", "asked for a refund"};
  for (int i = 0; i < rows; ++i) {
    const auto city = i == 17 ? "Nowhere" : cities[static_cast<std::size_t>(i % 4)];
    text += fmt::format("{},person{},{},{},{},{:04}-{:02}-15,{} number {},{},,5,{},{},{}\n", 100000001 + 3 * i, i,
                        i % 11 == 0 ? "" : std::to_string(20 + i % 50), city, i % 2 ? "Yes" : "no", 2000 + i % 20,
                        1 + i % 12, words[static_cast<std::size_t>(i % 3)], i, 1000 + i % 4, i * 100.5, i % 2,
                        i < 40 ? 1 : 0);
  }
  return text;
}

std::map<std::string, Json> by_name(const data::NoisyDataset& read) {
  std::map<std::string, Json> found;
  for (const auto& column : read.columns) found[column.at("name").get<std::string>()] = column;
  return found;
}

TEST(RawTable, TellsWhatColumnsHold) {
  const TemporaryFolder folder;
  const auto file = write_text(folder.path() / "a.csv", customers());
  const auto columns = by_name(read_noisy_dataset(source_of(file)));
  const std::map<std::string, std::string> kinds{{"customer_id", "id"}, {"name", "id"},        {"age", "number"},
                                                 {"city", "category"},  {"member", "boolean"}, {"since", "date"},
                                                 {"notes", "text"},     {"zip", "number"},     {"empty", "empty"},
                                                 {"same", "constant"},  {"income", "number"}};
  ASSERT_EQ(columns.size(), kinds.size());
  for (const auto& [name, kind] : kinds) EXPECT_EQ(columns.at(name)["kind"], kind) << name;
  EXPECT_EQ(columns.at("age")["missing"], 19);
  EXPECT_EQ(columns.at("age")["becomes"], "1 input, and one for missing");
  EXPECT_EQ(columns.at("city")["becomes"], "4 inputs, one for the rare ones, and one for missing");
  EXPECT_EQ(columns.at("city")["example"], "Paris");
  EXPECT_EQ(columns.at("notes")["becomes"], "128 inputs");
  EXPECT_EQ(columns.at("name")["becomes"], "left out: each row has its own value");
}

TEST(RawTable, TheUserSaysOtherwise) {
  const TemporaryFolder folder;
  auto source = source_of(write_text(folder.path() / "a.csv", customers()));
  source.column_kinds = {{"zip", "category"}, {"income", "amount"},      {"notes", "ignore"},
                         {"since", "ignore"}, {"customer_id", "number"}, {"city", "ignore"}};
  const auto read = read_noisy_dataset(source);
  const auto columns = by_name(read);
  EXPECT_FALSE(columns.contains("notes"));
  EXPECT_EQ(columns.at("zip")["becomes"], "4 inputs");
  EXPECT_EQ(columns.at("customer_id")["kind"], "number");
  ASSERT_EQ(read.width(), 1 + 2 + 1 + 1 + 4);
  EXPECT_NEAR(read.inputs[static_cast<std::size_t>(read.width()) + 3], std::log1p(100.5), 1e-5);
  source.column_kinds = {{"nowhere", "number"}};
  expect_says(refusal_of(source), {"there is no column 'nowhere'", "--columns"});
}

TEST(RawTable, TheSameRowsAreEncodedAlike) {
  const TemporaryFolder folder;
  const auto text = customers();
  const auto source = source_of(write_gzip(folder.path() / "a.csv.gz", {text.begin(), text.end()}));
  const auto read = read_noisy_dataset(source);
  const auto test = read_test_set(source_of(write_text(folder.path() / "b.csv", text)), read);
  EXPECT_EQ(test.inputs, read.inputs);
  for (const float value : read.inputs) ASSERT_TRUE(std::isfinite(value));
  const auto encoding = TableEncoding::from_json(Json::parse(read.encoding.dump()), "kept");
  ReadingNotes notes;
  const auto rows = read_csv_rows(source.data, {}, notes, encoding);
  EXPECT_EQ(rows.inputs, read.inputs);
  EXPECT_EQ(rows.ids[0], "2");
}

/// A cell that does not fit is missing, a category that was not there is a rare one; both are told once a column.
TEST(RawTable, NewRowsMayHoldWhatNoRowHadBefore) {
  const TemporaryFolder folder;
  const auto data = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", customers())));
  const auto encoding = TableEncoding::from_json(data.encoding, "kept");
  const auto more = write_text(folder.path() / "b.csv",
                               "income,zip,notes,since,member,city,age,extra\n"
                               "much,1001,,yesterday,perhaps,Atlantis,40,1\n1,1001,x,2001-01-15,yes,Rome,,2\n");
  ReadingNotes notes;
  const auto rows = read_csv_rows(more, {}, notes, encoding);
  std::map<std::string, float> first;
  for (std::size_t i = 0; i < encoding.features().size(); ++i) first[encoding.features()[i]] = rows.inputs[i];
  EXPECT_EQ(first["city rare"], 1);
  EXPECT_EQ(first["city = Rome"], 0);
  EXPECT_EQ(first["age"], 40);
  EXPECT_EQ(first["member"], 0.5F);
  EXPECT_NEAR(first["income"], 100.5 * 199 / 2, 1);
  std::string all;
  for (const auto& note : notes) all += note + "\n";
  expect_says(all, {"'extra'", "'income': 1 of 2", "'since': 1 of 2", "'member': 1 of 2"});
}

TEST(RawTable, NumbersComeBackAsTheyWereWhateverStandsBeside) {
  const TemporaryFolder folder;
  Rng rng(4);
  std::string text = "kind,x,label,trusted\n";
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) {
    values.push_back(static_cast<float>(rng.normal() * 1e3));
    text += fmt::format("{},{},{},{}\n", i % 3 ? "a" : "b", values.back(), i % 2, i < 9);
  }
  const auto read = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", text)));
  ASSERT_EQ(read.width(), 3);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(read.inputs[3 * i], values[i]);
}

struct DateCase {
  const char* text;
  int year;
  unsigned month, day;
  double hour;
};

TEST(Calendar, ReadsTheUsualForms) {
  for (const auto& [text, year, month, day, hour] :
       std::vector<DateCase>{{"2024-02-29", 2024, 2, 29, 0},
                             {"2024/3/5", 2024, 3, 5, 0},
                             {"2024-03-05T06:30:00Z", 2024, 3, 5, 6.5},
                             {"2024-03-05 18:00:00.25+01:00", 2024, 3, 5, 18},
                             {"20240305T1800", 2024, 3, 5, 18},
                             {"5.3.2024", 2024, 3, 5, 0},
                             {"3/5/2024", 2024, 3, 5, 0},
                             {"13/5/2024", 2024, 5, 13, 0},
                             {"3/5/24 6:15 pm", 2024, 3, 5, 18.25},
                             {"5 Mar 2024", 2024, 3, 5, 0},
                             {"5-Mar-99", 1999, 3, 5, 0},
                             {"March 5, 2024", 2024, 3, 5, 0},
                             {"Sept. 5 2024 12:00 am", 2024, 9, 5, 0}}) {
    Moment moment;
    ASSERT_TRUE(parse_moment(text, DateOrder::month_first, moment)) << text;
    EXPECT_EQ(moment.year, year) << text;
    EXPECT_EQ(moment.month, month) << text;
    EXPECT_EQ(moment.day, day) << text;
    EXPECT_EQ(moment.hour, hour) << text;
  }
  Moment moment;
  ASSERT_TRUE(parse_moment("2024-03-05", DateOrder::month_first, moment));
  EXPECT_EQ(moment.days, 19787);
  EXPECT_EQ(moment.weekday(), 1U) << "a Tuesday";
  ASSERT_TRUE(parse_moment("3/5/2024", DateOrder::day_first, moment));
  EXPECT_EQ(moment.month, 5U);
  for (const auto* text : {"2023-02-29", "2024-13-01", "1-2", "May", "12 monkeys", "2024-03-05x", "99/99/2024", "",
                           "2024-03-05 25:00", "1.2.3.4.5.6", "hello world"}) {
    EXPECT_FALSE(parse_moment(text, DateOrder::month_first, moment)) << text;
  }
}

TEST(Calendar, OneDateOfAColumnTellsTheOrderOfAll) {
  const TemporaryFolder folder;
  std::string text = "when,label,trusted\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{}/2/2024,{},{}\n", 1 + i % 28, i % 2, i < 9);
  const auto read = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", text)));
  EXPECT_EQ(read.encoding["columns"][0]["order"], "day_first");
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(read.inputs[i * 6 + 2], 2) << "February";
}

/// Records that reach over the pieces in which a file is read come out whole.
TEST(CsvFile, ReadsTheSameAsFromMemory) {
  const TemporaryFolder folder;
  Rng rng(9);
  std::string text = "a,b\r\n";
  while (text.size() < 3'000'000) {
    text += fmt::format("{},\"{}\"\r\n", rng.below(1000), std::string(rng.below(20'000), rng.below(9) ? 'x' : '\n'));
  }
  for (const bool packed : {false, true}) {
    const auto file = packed ? write_gzip(folder.path() / "t.gz", {text.begin(), text.end()})
                             : write_text(folder.path() / "t.csv", text);
    data::CsvText expected(text, ',');
    data::Digest digest;
    data::CsvFile found(file, &digest);
    std::vector<std::string_view> a, b;
    while (expected.next(a)) {
      ASSERT_TRUE(found.next(b));
      ASSERT_EQ(a, b);
      ASSERT_EQ(expected.row(), found.row());
    }
    EXPECT_FALSE(found.next(b));
    EXPECT_EQ(digest.text(), data::sha256(text));
  }
}

}  // namespace
}  // namespace moblo::lab::readers::raw_table_test
