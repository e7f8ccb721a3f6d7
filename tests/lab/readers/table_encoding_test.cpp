#include "lab/readers/table_encoding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "moblo/base/rng.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::readers::table_encoding_test {
namespace {

class TableEncodingTest : public ::testing::Test {
 protected:
  Table table(const std::string& text) {
    std::ofstream(folder_.path() / "table.csv", std::ios::binary) << text;
    return read_table(folder_.path() / "table.csv");
  }
  std::string refusal(const std::string& text, const ColumnChoices& choices = {}) {
    return testing::refusal_when([&] { fit(table(text), choices); });
  }
  static TableEncoding fit(const Table& rows, const ColumnChoices& choices = {}) {
    std::vector<std::int64_t> all(rows.size());
    std::iota(all.begin(), all.end(), 0);
    return TableEncoding::fit(rows, all, choices);
  }
  /// One row by the names of its inputs.
  static std::map<std::string, float> row(const TableEncoding& encoding, const Table& rows, std::size_t at) {
    const auto inputs = encoding.encode(rows);
    std::map<std::string, float> named;
    const auto& features = encoding.features();
    for (std::size_t i = 0; i < features.size(); ++i) named[features[i]] = inputs[at * features.size() + i];
    return named;
  }

  testing::TemporaryFolder folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(TableEncodingTest, TellsNumbersFromCategoriesAndPutsThemFirst) {
  const auto rows = table("job,age,code\nclerk,30,1\n?,40,2\ncook,NA,1\nclerk,50,x\n");
  const auto encoding = fit(rows);
  const std::vector<std::string> expected{"age",        "age missing", "job missing", "job = clerk",
                                          "job = cook", "code = 1",    "code = 2",    "code = x"};
  EXPECT_EQ(encoding.features(), expected);
  const auto deviation = std::sqrt(200.0 / 3);  // of 30, 40, 50
  EXPECT_NEAR(row(encoding, rows, 0)["age"], -10 / deviation, 1e-6);
  EXPECT_EQ(row(encoding, rows, 2)["age"], 0);
  EXPECT_EQ(row(encoding, rows, 2)["age missing"], 1);
  EXPECT_EQ(row(encoding, rows, 1)["job missing"], 1);
  EXPECT_EQ(row(encoding, rows, 1)["job = clerk"], 0);
  EXPECT_EQ(row(encoding, rows, 3)["job = clerk"], 1);
  EXPECT_EQ(row(encoding, rows, 3)["age missing"], 0);
}

TEST_F(TableEncodingTest, FollowsWhatTheUserSaysOfColumns) {
  const auto rows = table("zip,gain,note\n1000,0,a\n2000,99,b\n1000,9999,c\n");
  const auto encoding = fit(rows, {.left_out = {"note"}, .amounts = {"gain"}, .categories = {"zip"}});
  EXPECT_EQ(encoding.features(), (std::vector<std::string>{"gain", "zip = 1000", "zip = 2000"}));
  const double logs[] = {0, std::log(100), std::log(10000)}, mean = (logs[1] + logs[2]) / 3;
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(row(encoding, rows, 2)["gain"], (logs[2] - mean) / std::sqrt(squares / 3), 1e-6);
  EXPECT_TRUE(contains(refusal("gain\n-1\n2\n", {.amounts = {"gain"}}), "row 2, column 'gain': '-1'"));
  EXPECT_TRUE(contains(refusal("age,b\n1,1\n2,2\nold,3\n", {.numbers = {"age"}}), "row 4, column 'age': 'old'"));
  EXPECT_TRUE(contains(refusal("age\n1\n2\n", {.categories = {"years"}}), "there is no column 'years'"));
  EXPECT_TRUE(contains(refusal("age\n1\n2\n", {.numbers = {"age"}, .categories = {"age"}}), "named twice"));
}

TEST_F(TableEncodingTest, DropsWhatIsTheSameInAllTrainingRows) {
  const auto rows = table(",same,word,none,x,gone\n0,5,a,,1,7\n1,5,a,?,2,NA\n2,5,a,,3,7\n");
  const auto encoding = fit(rows);
  EXPECT_EQ(encoding.features(), (std::vector<std::string>{"x", "gone missing"}));  // the index has no name
  EXPECT_EQ(encoding.dropped(), (std::vector<std::string>{"same", "word", "none"}));
  EXPECT_EQ(row(encoding, rows, 1)["gone missing"], 1);
  EXPECT_TRUE(contains(refusal("a,b\n1,x\n1,x\n"), "no column is left"));
}

/// Statistics and categories of the training rows alone; the mean and no category for what they did not have.
TEST_F(TableEncodingTest, EncodesNewRowsAlike) {
  const auto rows = table("x,kind\n1,a\n3,b\n100,c\n");
  const auto encoding = TableEncoding::fit(rows, {0, 1}, {});
  EXPECT_EQ(encoding.features(), (std::vector<std::string>{"x", "kind = a", "kind = b"}));
  EXPECT_NEAR(row(encoding, rows, 2)["x"], 98, 1e-5);
  EXPECT_EQ(row(encoding, rows, 2)["kind = a"] + row(encoding, rows, 2)["kind = b"], 0);
  const auto others = table("kind,more,x\nb,?,\nnull,1,2\n");  // other order, other columns, missing for the first time
  const auto inputs = encoding.encode(others);
  EXPECT_EQ(inputs, (std::vector<float>{0, 0, 1, 0, 0, 0}));
  const auto kept = TableEncoding::from_json(Json::parse(encoding.to_json().dump()), "kept");
  EXPECT_EQ(kept.encode(others), inputs);
  EXPECT_EQ(kept.encode(rows), encoding.encode(rows));
  EXPECT_TRUE(contains(testing::refusal_when([&] { encoding.encode(table("x\n1\n")); }), "there is no column 'kind'"));
  EXPECT_TRUE(
      contains(testing::refusal_when([&] { encoding.encode(table("x,kind\n1,a\nmany,a\n")); }), "row 3, column 'x'"));
}

/// Large offsets do not eat the digits: every column has mean 0 and deviation 1 over the training rows.
TEST_F(TableEncodingTest, StandardisesAtEveryScale) {
  for (const double offset : {0.0, 1e3, 1.6e9}) {
    for (const double scale : {1e-3, 1.0, 1e6}) {
      Rng rng(7);
      std::string text = "x\n";
      for (int i = 0; i < 50; ++i) text += std::to_string(offset + scale * rng.uniform()) + "\n";
      const auto inputs = fit(table(text)).encode(table(text));
      double sum = 0, squares = 0;
      for (const float value : inputs) sum += value, squares += double(value) * value;
      const double last_digit = 2.2e-16 * offset / (0.25 * scale);  // of the mean, in deviations
      EXPECT_NEAR(sum / 50, 0, 1e-5 + last_digit) << offset << " " << scale;
      EXPECT_NEAR(squares / 50, 1, 1e-5) << offset << " " << scale;
    }
  }
}

TEST_F(TableEncodingTest, RefusesBrokenTablesByRow) {
  EXPECT_TRUE(contains(refusal("a,b\n1,2\n1\n"), "row 3: 1 cells, the header has 2"));
  EXPECT_TRUE(contains(refusal("a,b\n1,\"x\n"), "row 2, column 2"));
  EXPECT_TRUE(contains(refusal("a,b\n1,\xE9t\xE9\n"), "row 2, column 'b': the text is not UTF-8"));
  EXPECT_TRUE(contains(refusal("a,b\n"), "has a header and no row"));
  std::string names = "name,x\n";
  for (int i = 0; i < 1500; ++i) names += "person " + std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  EXPECT_TRUE(contains(refusal(names), "1500 different texts"));
  const Json broken{{"columns", {{{"name", "x"}, {"kind", "number"}, {"mean", 0}, {"deviation", -1}}}},
                    {"dropped", Json::array()}};
  EXPECT_TRUE(contains(testing::refusal_when([&] { TableEncoding::from_json(broken, "model"); }), "deviation"));
}

TEST_F(TableEncodingTest, ReadsGzipSemicolonsAndQuotes) {
  const std::string text = "a;b\r\n\"1\";\"x; \"\"y\"\"\"\r\n2;z\r\n";
  const auto file = testing::write_gzip(folder_.path() / "t.csv.gz", {text.begin(), text.end()});
  const auto rows = read_table(file);
  EXPECT_EQ(rows.columns[1].cell(0), "x; \"y\"");
  EXPECT_EQ(fit(rows).features(), (std::vector<std::string>{"a", "b = x; \"y\"", "b = z"}));
}

}  // namespace
}  // namespace moblo::lab::readers::table_encoding_test
