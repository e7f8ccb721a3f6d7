#include "lab/data/noisy_source.hpp"

#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::data::noisy_source_test {
namespace {

using readers::testing::expect_says;

std::string refusal(const NoisyArguments& arguments) {
  try {
    parse_test_sources(arguments, parse_noisy_sources(arguments));
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

NoisyArguments two() {
  NoisyArguments arguments;
  arguments.noisy = {"cells=data/cells.csv", "data/digits.npz"};
  return arguments;
}

TEST(NoisySource, OneDatasetNeedsNoName) {
  NoisyArguments arguments;
  arguments.noisy = {"data/cells.csv.gz"};
  arguments.trusted = {"checked.csv"};
  arguments.label_column = {"kind"};
  arguments.ignore = {"a,b"};
  arguments.image_size = {"32"};
  arguments.test = {"cells=test.csv"};
  const auto sources = parse_noisy_sources(arguments);
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].name, "cells");
  EXPECT_EQ(sources[0].data, "data/cells.csv.gz");
  EXPECT_EQ(sources[0].trusted, "checked.csv");
  EXPECT_EQ(sources[0].label_column, "kind");
  EXPECT_EQ(sources[0].ignored_columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sources[0].image_size, 32);
  EXPECT_EQ(sources[0].format, "auto");
  const auto tests = parse_test_sources(arguments, sources);
  EXPECT_EQ(tests[0].data, "test.csv");
  EXPECT_EQ(tests[0].label_column, "kind");
  EXPECT_EQ(tests[0].trusted, "");
}

TEST(NoisySource, SeveralDatasetsAreNamed) {
  auto arguments = two();
  arguments.trusted = {"digits=ids.txt", "cells=t.csv"};
  arguments.format = {"digits=npz"};
  const auto sources = parse_noisy_sources(arguments);
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].trusted, "t.csv");
  EXPECT_EQ(sources[1].name, "digits");
  EXPECT_EQ(sources[1].trusted, "ids.txt");
  EXPECT_EQ(sources[1].format, "npz");
  EXPECT_TRUE(parse_test_sources(arguments, sources)[1].data.empty());
}

TEST(NoisySource, APathMayHoldAnEqualsSign) {
  NoisyArguments arguments;
  arguments.noisy = {"./a=b.csv"};
  EXPECT_EQ(parse_noisy_sources(arguments)[0].data, "./a=b.csv");
  arguments.noisy = {"images/"};
  EXPECT_EQ(parse_noisy_sources(arguments)[0].name, "images");
}

TEST(NoisySource, RefusalsSayWhatToWrite) {
  lab::readers::testing::expect_says(refusal({}), {"no --noisy", "--noisy FILE"});
  auto arguments = two();
  arguments.trusted = {"t.csv"};
  expect_says(refusal(arguments), {"--trusted t.csv", "which of the 2 datasets", "cells, digits"});
  arguments.trusted = {"cell=t.csv"};
  expect_says(refusal(arguments), {"no dataset is called 'cell'", "cells"});
  arguments.trusted = {"cells=t.csv", "cells=u.csv"};
  expect_says(refusal(arguments), {"has this option already"});
  arguments = two();
  arguments.noisy.push_back("other/cells.csv");
  expect_says(refusal(arguments), {"'cells' was given already", "NAME=FILE"});
  arguments = two();
  arguments.format = {"cells=cvs"};
  expect_says(refusal(arguments), {"--format cvs", "csv"});
  arguments = two();
  arguments.image_size = {"cells=3"};
  expect_says(refusal(arguments), {"--image-size 3", "between 4 and 512"});
  arguments = two();
  arguments.noisy = {"cells="};
  expect_says(refusal(arguments), {"holds no value"});
  arguments = two();
  arguments.trusted_labels = {"cells=y"};
  expect_says(refusal(arguments), {"no --trusted"});
  arguments = two();
  arguments.test_labels = {"cells=y"};
  expect_says(refusal(arguments), {"no --test"});
}

TEST(NoisySource, EveryOptionHasAFlagAndHelp) {
  EXPECT_EQ(noisy_options().size(), sizeof(NoisyArguments) / sizeof(std::vector<std::string>));
  for (const auto& option : noisy_options()) {
    EXPECT_TRUE(option.flag.starts_with("--"));
    EXPECT_FALSE(option.help.empty());
  }
}

}  // namespace
}  // namespace moblo::lab::data::noisy_source_test
