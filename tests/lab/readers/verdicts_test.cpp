#include "lab/readers/verdicts.hpp"

#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::verdicts_test {
namespace {

using testing::expect_says;
using testing::refusal_of;
using testing::source_of;
using testing::TemporaryFolder;
using testing::write_text;

std::string table() {
  std::string text = "id,x,label\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("s{},{},{}\n", i, i, i % 2);
  return text;
}

data::NoisySource with_verdicts(const TemporaryFolder& folder, const std::string& verdicts) {
  auto source = source_of(write_text(folder.path() / "a.csv", table()));
  source.checked = write_text(folder.path() / "checked.csv", verdicts);
  return source;
}

TEST(Verdicts, ComeInAsPairsOfGivenAndCheckedLabel) {
  const TemporaryFolder folder;
  const auto read = read_noisy_dataset(
      with_verdicts(folder,
                    "dataset,id,checked_label,reason\nmade,s2,1,random\nmade,s3,1,uncertain\nmade,s4,,random\n"
                    "other,s5,0,random\n"));
  EXPECT_EQ(std::count(read.trusted.begin(), read.trusted.end(), true), 2);
  EXPECT_EQ(read.labels[2], 1);
  EXPECT_EQ(read.given[2], 0);
  EXPECT_EQ(read.given[3], 1);
  EXPECT_FALSE(read.picked[2]);
  EXPECT_TRUE(read.picked[3]);
}

TEST(Verdicts, OnUnknownSamplesAreRefused) {
  const TemporaryFolder folder;
  expect_says(refusal_of(with_verdicts(folder, "id,checked_label\nnobody,1\n")), {"row 2: 'nobody' is not an id"});
  expect_says(refusal_of(with_verdicts(folder, "id,label\ns1,1\n")), {"no column 'checked_label'"});
}

std::string probabilities(const std::string& header, const std::string& fourth) {
  std::string text = header + "\n";
  for (int i = 0; i < 20; ++i) text += i == 3 ? fourth : fmt::format("s{},0.25,0.75\n", i);
  return text;
}

data::NoisySource with_probabilities(const TemporaryFolder& folder, const std::string& text) {
  auto source = source_of(write_text(folder.path() / "a.csv", table()));
  source.probabilities = write_text(folder.path() / "p.csv", text);
  return source;
}

TEST(Probabilities, AreReadByIdAndClass) {
  const TemporaryFolder folder;
  const auto read = read_noisy_dataset(with_probabilities(folder, probabilities("id,1,0", "s3,1,0\n")));
  ASSERT_EQ(read.probabilities.size(), 40);
  EXPECT_EQ(read.probabilities[0], 0.75F);
  EXPECT_EQ(read.probabilities[7], 1);
}

TEST(Probabilities, AreCheckedRowByRow) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& header, const std::string& row) {
    return refusal_of(with_probabilities(folder, probabilities(header, row)));
  };
  expect_says(refusal("id,0,2", "s3,1,0\n"), {"no column '1'", "'2' is not a class"});
  expect_says(refusal("id,0,1", "s3,0.5,0.6\n"), {"row 5", "sum of the probabilities is 1.1"});
  expect_says(refusal("id,0,1", "s3,-0.5,1.5\n"), {"row 5", "'-0.5' is not a number between 0 and 1"});
  expect_says(refusal("id,0,1", "s2,0.5,0.5\n"), {"row 5: 's2' stands there already", "'s3' is missing"});
  expect_says(refusal("id,0,1", "t,0.5,0.5\n"), {"row 5: 't' is not an id"});
  expect_says(refusal("id,0,1", "s3,0.5\n"), {"row 5: 2 cells"});
}

}  // namespace
}  // namespace moblo::lab::readers::verdicts_test
