#include <algorithm>
#include <cmath>

#include "lab/data/csv.hpp"
#include "moblo/base/rng.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::noisy_csv_test {
namespace {

using testing::expect_says;
using testing::refusal_of;
using testing::source_of;
using testing::TemporaryFolder;
using testing::write_gzip;
using testing::write_text;

using Records = std::vector<std::vector<std::string>>;

Records records_of(std::string_view text, char separator = ',') {
  data::CsvText reader(text, separator);
  std::vector<std::string_view> cells;
  Records records;
  while (reader.next(cells)) {
    records.emplace_back(cells.begin(), cells.end());
    EXPECT_EQ(reader.fault(), "");
  }
  return records;
}

std::string fault_of(std::string_view text) {
  data::CsvText reader(text, ',');
  std::vector<std::string_view> cells;
  while (reader.next(cells)) {
    if (!reader.fault().empty()) return fmt::format("row {}, {}", reader.row(), reader.fault());
  }
  return "";
}

TEST(Csv, RecordsOfTheStandard) {
  EXPECT_EQ(records_of("a,b\nc,d\n"), (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(records_of("a,b\r\nc,d"), (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(records_of("a\rb"), (Records{{"a"}, {"b"}}));
  EXPECT_EQ(records_of("a,,\n,\n"), (Records{{"a", "", ""}, {"", ""}}));
  EXPECT_EQ(records_of("\"a,1\",\"b\n2\",\"say \"\"x\"\"\"\r\n\"\",z"),
            (Records{{"a,1", "b\n2", "say \"x\""}, {"", "z"}}));
  EXPECT_EQ(records_of("\"\"\"\""), (Records{{"\""}}));
  EXPECT_EQ(records_of(""), Records{});
}

TEST(Csv, BadQuotesAreNamed) {
  expect_says(fault_of("a,b\nc,\"d\n1,2\n"), {"row 2, column 2", "never closed"});
  expect_says(fault_of("a,b\"c\n"), {"row 1, column 2", "within a cell"});
  expect_says(fault_of("\"a\"b,c\n"), {"row 1, column 1", "follows the closing quote"});
  expect_says(fault_of("\""), {"never closed"});
  expect_says(fault_of("\"\"\""), {"never closed"});
}

TEST(Csv, AnyCellsComeBackAsTheyWere) {
  const std::string letters = "a,;\t\"\n\r 1.é";
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const char separator = ",;\t"[rng.below(3)];
    const std::string line_end = rng.below(2) ? "\n" : "\r\n";
    Records records(1 + rng.below(5));
    const std::size_t columns = 2 + rng.below(4);
    std::string text;
    for (auto& record : records) {
      for (std::size_t i = 0; i < columns; ++i) {
        std::string cell, escaped;
        for (std::size_t length = rng.below(6); length-- > 0;) cell += letters[rng.below(letters.size())];
        for (const char c : cell) escaped += c == '"' ? "\"\"" : std::string(1, c);
        record.push_back(cell);
        text += (i > 0 ? std::string(1, separator) : "") + '"' + escaped + '"';
      }
      text += line_end;
    }
    ASSERT_EQ(records_of(text, separator), records) << text;
  }
}

/// 24 rows, class a or b, every other one trusted.
std::string table(const std::string& separator = ",", const std::string& line_end = "\n") {
  std::string text =
      "id" + separator + "width" + separator + "label" + separator + "height" + separator + "trusted" + line_end;
  for (int i = 0; i < 24; ++i) {
    text += fmt::format("s{}{s}{}{s}{}{s}{}{s}{}{}", i, i * 0.5, i % 3 ? "b" : "a", -i, i % 2 ? "yes" : "no", line_end,
                        fmt::arg("s", separator));
  }
  return text;
}

/// The table with one row exchanged; rows are counted as in a spreadsheet, the header is 1.
std::string table_with(int row, const std::string& text) {
  std::string all = table(), out;
  std::size_t start = 0;
  for (int i = 1; start < all.size(); ++i) {
    const std::size_t end = all.find('\n', start) + 1;
    out += i == row ? text + "\n" : all.substr(start, end - start);
    start = end;
  }
  return out;
}

TEST(NoisyCsv, ReadsFeaturesLabelsIdsAndMarks) {
  const TemporaryFolder folder;
  const std::string content = table();
  const auto check = [](const data::NoisyDataset& read) {
    EXPECT_EQ(read.name, "made");
    EXPECT_EQ(read.size(), 24);
    EXPECT_EQ(read.shape, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(read.width(), 2);
    EXPECT_EQ(read.classes, (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(read.image);
    for (std::size_t i = 0; i < 24; ++i) {
      EXPECT_EQ(read.ids[i], "s" + std::to_string(i));
      EXPECT_EQ(read.inputs[2 * i], 0.5F * static_cast<float>(i));
      EXPECT_EQ(read.inputs[2 * i + 1], -static_cast<float>(i));
      EXPECT_EQ(read.labels[i], i % 3 ? 1 : 0);
      EXPECT_EQ(read.trusted[i], i % 2 == 1);
    }
  };
  check(read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", content))));
  check(read_noisy_dataset(source_of(write_text(folder.path() / "b.csv", "\xEF\xBB\xBF" + content + "\n\n"))));
  check(read_noisy_dataset(source_of(write_text(folder.path() / "c.csv", table(";", "\r\n")))));
  check(read_noisy_dataset(source_of(write_text(folder.path() / "d.tsv", table("\t")))));
  check(read_noisy_dataset(source_of(write_gzip(folder.path() / "e.csv.gz", {content.begin(), content.end()}))));
}

TEST(NoisyCsv, WholeNumbersAreClassesInTheirOrder) {
  const TemporaryFolder folder;
  std::string text = "x,label,trusted\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},{},{}\n", i, i % 3 == 0 ? 10 : i % 3, i < 15);
  const auto read = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", text)));
  EXPECT_EQ(read.classes, (std::vector<std::string>{"1", "2", "10"}));
  EXPECT_EQ(read.labels[0], 2);
  EXPECT_EQ(read.ids[0], "2") << "without ids, the row as a spreadsheet counts it";
}

TEST(NoisyCsv, ColumnsHaveTheNamesTheUserSays) {
  const TemporaryFolder folder;
  std::string text = ",kind,note,x,ok\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{},text {},{},{}\n", 100 + i, i % 2, i % 3, i, i < 10 ? 1 : 0);
  auto source = source_of(write_text(folder.path() / "a.csv", text));
  expect_says(refusal_of(source), {"no column 'label'", "'kind'", "--label-column"});
  source.label_column = "kind";
  EXPECT_EQ(read_noisy_dataset(source).width(), 5) << "a column of three categories, and x, and ok";
  source.ignored_columns = {"note"};
  EXPECT_EQ(read_noisy_dataset(source).trusted, std::vector<bool>(20, false));
  source.trusted_column = "ok";
  const auto read = read_noisy_dataset(source);
  EXPECT_EQ(read.width(), 1);
  EXPECT_EQ(read.ids[3], "103") << "a first column without a name holds ids";
  source.id_column = "nowhere";
  expect_says(refusal_of(source), {"no column 'nowhere'", "--id-column"});
}

TEST(NoisyCsv, EveryProblemIsNamedByRowAndColumn) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto file = write_text(folder.path() / "a.csv", text);
    const std::string said = refusal_of(source_of(file));
    EXPECT_TRUE(said.starts_with(file.string() + ": ")) << said;
    return said;
  };
  expect_says(refusal(table_with(5, "s3,1, ,1,1")), {"row 5: the label is missing"});
  expect_says(refusal(table_with(5, ",1,a,1,1")), {"row 5: the id is missing"});
  expect_says(refusal(table_with(5, "s0,1,a,1,1")), {"row 5: id 's0' is that of row 2"});
  expect_says(refusal(table_with(5, "s3,1,a,1,perhaps")), {"row 5, column 'trusted': 'perhaps' is none of"});
  expect_says(refusal(table_with(5, "s3,1,a,1")), {"row 5: 4 cells, the header has 5"});
  expect_says(refusal(table_with(5, "s3,1,a,1,1,7")), {"row 5: 6 cells"});
  expect_says(refusal(table_with(5, "s3,\"1,a,1,1")), {"row 5, column 2", "never closed"});
  expect_says(refusal(table_with(1, "id,x,label,x,trusted")), {"row 1, column 4: 'x' names a column already"});
  expect_says(refusal(table_with(1, "id,x,label,,trusted")), {"row 1, column 4: the name is missing"});
  expect_says(refusal("1,2,3\n4,5,6\n"), {"no header"});
  expect_says(refusal(""), {"is empty"});
  expect_says(refusal("\n \n"), {"is empty"});
  expect_says(refusal("x,label\n"), {"header and no row"});
  expect_says(refusal("label\na\nb\n"), {"leaves no column for features"});
  expect_says(refusal(std::string("x,label\n1,\0a\n", 13)), {"is not text"});
  expect_says(refusal("\xFF\xFEx,label\n"), {"UTF-16"});
}

TEST(NoisyCsv, CheckedLabelsStandBesideTheGivenOnes) {
  const TemporaryFolder folder;
  std::string text = "id,x,label,checked_label\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("s{},{},{},{}\n", i, i, i % 2, i < 4 ? "1" : i == 4 ? "2" : "");
  const auto read = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", text)));
  EXPECT_EQ(read.width(), 1);
  EXPECT_EQ(read.classes, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(std::count(read.trusted.begin(), read.trusted.end(), true), 5);
  EXPECT_EQ((std::vector<std::int64_t>{read.labels[0], read.labels[1], read.labels[4], read.labels[6]}),
            (std::vector<std::int64_t>{1, 1, 2, 0}));
  EXPECT_EQ((std::vector<std::int64_t>{read.given[0], read.given[1], read.given[4], read.given[6]}),
            (std::vector<std::int64_t>{0, 1, 0, 0}));
}

TEST(NoisyCsv, ASecondFileKeepsTheLabelThatWasThere) {
  const TemporaryFolder folder;
  std::string text = "id,x,label,trusted\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("s{},{},{},{}\n", i, i, i % 2, i == 7 ? 1 : 0);
  const auto first = write_text(folder.path() / "a.csv", text);
  const auto second = write_text(folder.path() / "b.csv", "id,x,label\ns2,2,1\ns3,3,1\nt,5,0\n");
  const auto read = read_noisy_dataset(source_of(first, second));
  EXPECT_EQ(read.labels[2], 1);
  EXPECT_EQ(read.given[2], 0);
  EXPECT_EQ(read.given[3], 1);
  EXPECT_EQ(read.given[7], -1) << "marked as trusted: nobody knows what it was called before";
  EXPECT_EQ(read.given[20], -1);
  EXPECT_EQ(read.given[5], read.labels[5]);
}

TEST(NoisyCsv, TenProblemsInOneMessage) {
  const TemporaryFolder folder;
  std::string text = "x,y,label\n";
  for (int i = 0; i < 40; ++i) text += "1,a\n";
  const std::string said = refusal_of(source_of(write_text(folder.path() / "a.csv", text)));
  expect_says(said, {"40 problems, the first 10", "row 2: 2 cells", "row 11: 2 cells", "\nFix these rows"});
  EXPECT_EQ(said.find("row 12:"), std::string::npos);
}

/// What a cell of a column of numbers may hold beside numbers, and what is said of it, once.
TEST(NoisyCsv, CellsThatAreNoNumbersAreMissingAndSaid) {
  const TemporaryFolder folder;
  for (const auto* cell : {"-inf", "1e300", "tall", "1.5x"}) {
    const auto file = write_text(folder.path() / "a.csv", table_with(5, fmt::format("s3,{},a,-3,1", cell)));
    const auto read = read_noisy_dataset(source_of(file));
    ASSERT_EQ(read.width(), 3) << "width, whether it is missing, and height";
    EXPECT_EQ(read.inputs[3 * 3 + 1], 1) << cell;
    EXPECT_NEAR(read.inputs[3 * 3], (0.5 * 23 * 24 / 2 - 1.5) / 23, 1e-5) << "the mean of the others";
    EXPECT_EQ(read.columns[0]["kind"], "number");
    expect_says(read.columns[0]["remark"], {"1 of 24 cells", fmt::format("'{}' in row 5", cell), "missing"});
  }
  for (const auto* cell : {"", "?", "NaN", "n/a"}) {
    const auto file = write_text(folder.path() / "a.csv", table_with(5, fmt::format("s3,{},a,-3,1", cell)));
    const auto read = read_noisy_dataset(source_of(file));
    EXPECT_EQ(read.columns[0]["missing"], 1) << cell;
    EXPECT_FALSE(read.columns[0].contains("remark"));
  }
}

TEST(NoisyCsv, RulesOfTheWholeFile) {
  const TemporaryFolder folder;
  const auto refusal = [&](int rows, const auto& row) {
    std::string text = "x,label,trusted\n";
    for (int i = 0; i < rows; ++i) text += row(i);
    return refusal_of(source_of(write_text(folder.path() / "a.csv", text)));
  };
  expect_says(refusal(19, [](int i) { return fmt::format("{},{},{}\n", i, i % 2, i < 9); }),
              {"19 samples are too few"});
  expect_says(refusal(20, [](int i) { return fmt::format("{},a,{}\n", i, i < 9); }), {"all labels are 'a'"});
  expect_says(refusal(20, [](int i) { return fmt::format("{},{},{}\n", i, i, i < 9); }), {"20 different labels"});
  expect_says(refusal(20, [](int i) { return fmt::format("{},{},1\n", i, i % 2); }), {"every label is trusted"});
  EXPECT_EQ(refusal(20, [](int i) { return fmt::format("{},{},0\n", i, i % 2); }), "");
  EXPECT_EQ(refusal(20, [](int i) { return fmt::format("{},{},{}\n", i, i % 2, i == 3); }), "");
  EXPECT_EQ(refusal(20, [](int i) { return fmt::format("{},{},{}\n", i, i % 2, i < 2); }), "");
  expect_says(refusal_of(source_of(folder.path() / "absent.csv")), {"absent.csv: does not exist"});
}

TEST(NoisyCsv, AClassWithoutTrustedSamplesIsSaid) {
  const TemporaryFolder folder;
  std::string text = "x,label,trusted\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},c{},{}\n", i, i % 3, i < 6 && i % 3 < 2);
  ReadingNotes notes;
  read_noisy_datasets({source_of(write_text(folder.path() / "a.csv", text))}, &notes);
  ASSERT_EQ(notes.size(), 1U);
  expect_says(notes[0], {"made: ", "'c2'", "rests on the given labels"});
}

std::string rows(const std::string& header, int count, const char* prefix, float offset) {
  std::string text = header + "\n";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{},{},{},{}\n", prefix, i, offset + static_cast<float>(i), 7 + i % 3, i % 2);
  return text;
}

TEST(NoisyCsv, TrustedSamplesFromAnotherFile) {
  const TemporaryFolder folder;
  const auto data = write_text(folder.path() / "a.csv", rows("id,u,v,label", 20, "s", 0));
  const auto more = write_text(folder.path() / "t.csv", rows("id,v,u,label", 4, "t", 50));  // other order of columns
  const auto read = read_noisy_dataset(source_of(data, more));
  EXPECT_EQ(read.size(), 24);
  EXPECT_EQ(read.ids[20], "t0");
  EXPECT_EQ(read.inputs[42], 8) << "u, found by its name";
  EXPECT_EQ(read.inputs[43], 51);
  EXPECT_EQ(std::count(read.trusted.begin(), read.trusted.end(), true), 4);
  EXPECT_TRUE(read.trusted[23]);

  ReadingNotes notes;
  const auto checked = write_text(folder.path() / "c.csv", "id,u,v,label\ns1,1,7,0\ns2,2,7,1\n");
  const auto replaced = read_noisy_dataset(source_of(data, checked), &notes);
  EXPECT_EQ(replaced.size(), 20);
  EXPECT_EQ(replaced.labels[1], 0);
  EXPECT_TRUE(replaced.trusted[1] && replaced.trusted[2] && !replaced.trusted[3]);
  ASSERT_EQ(notes.size(), 1U);
  expect_says(notes[0], {"2 samples of", "replace"});

  const auto other = write_text(folder.path() / "o.csv", rows("id,u,w,label", 4, "t", 50));
  expect_says(refusal_of(source_of(data, other)), {"'v' of the dataset is missing", "all columns"});
  const auto ids = write_text(folder.path() / "ids.txt", "s4\r\n\ns5\n");
  EXPECT_TRUE(read_noisy_dataset(source_of(data, ids)).trusted[5]);
  const auto wrong = write_text(folder.path() / "wrong.txt", "s4\ns99\n");
  expect_says(refusal_of(source_of(data, wrong)), {"wrong.txt", "line 2: 's99' is not an id", "e.g. 's0'"});
}

TEST(NoisyCsv, ATestSetHasTheClassesAndColumnsOfTheData) {
  const TemporaryFolder folder;
  const auto source = source_of(write_text(folder.path() / "a.csv", table()));
  const auto dataset = read_noisy_dataset(source);
  const auto read = [&](const std::string& text) {
    return read_test_set(source_of(write_text(folder.path() / "test.csv", text)), dataset);
  };
  const auto test = read("height,label,width\n1,b,2\n3,a,4\n");
  EXPECT_EQ(test.inputs, (std::vector<float>{2, 1, 4, 3}));
  EXPECT_EQ(test.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(test.trusted, (std::vector<bool>{true, true}));
  EXPECT_EQ(test.classes, dataset.classes);
  try {
    read("height,label,width\n1,b,2\n3,z,4\n");
    FAIL();
  } catch (const Error& error) {
    expect_says(error.what(), {"row 3: label 'z' is not one of its classes", "'a', 'b'"});
  }
  EXPECT_THROW(read("height,label,depth\n1,b,2\n"), Error);
}

TEST(NoisyCsv, AnyTableComesBackBitForBit) {
  const TemporaryFolder folder;
  Rng rng(11);
  for (int round = 0; round < 40; ++round) {
    const std::size_t features = 1 + rng.below(6), count = 20 + rng.below(40);
    std::vector<float> values;
    std::vector<std::string> labels;
    std::vector<bool> trusted;
    std::string text;
    for (std::size_t i = 0; i < features; ++i) text += fmt::format("\"feature, {}\";", i);
    text += "label;trusted\n";
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < features; ++i) {
        values.push_back(static_cast<float>(rng.normal() * std::pow(10.0, static_cast<double>(rng.below(60)) - 30)));
        text += fmt::format("{};", values.back());
      }
      labels.push_back("class \"" + std::to_string(row % 3) + "\"");
      trusted.push_back(row < 6);
      text += fmt::format("\"class \"\"{}\"\"\";{}\n", row % 3, row < 6 ? "TRUE" : "0");
    }
    const auto read = read_noisy_dataset(source_of(write_text(folder.path() / "a.csv", text)));
    ASSERT_EQ(read.inputs, values);
    ASSERT_EQ(read.trusted, trusted);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(read.classes[static_cast<std::size_t>(read.labels[i])], labels[i]);
  }
}

TEST(NoisyCsv, NoByteCanMakeItCrash) {
  const TemporaryFolder folder;
  const std::string whole = table();
  Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole.substr(0, 1 + rng.below(whole.size()));
    for (std::uint64_t changes = rng.below(4); changes-- > 0;) {
      damaged[rng.below(damaged.size())] = "\"\n\r,;\t\0x9-"[rng.below(10)];
    }
    refusal_of(source_of(write_text(folder.path() / "a.csv", damaged)));
  }
}

}  // namespace
}  // namespace moblo::lab::readers::noisy_csv_test
