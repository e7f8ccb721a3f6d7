#include <gtest/gtest.h>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "tests/lab/readers/noisy_files.hpp"
#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

class AggregateVerb : public ::testing::Test {
 protected:
  Result aggregate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "aggregate");
    return run_program({arguments, folder_.path()});
  }
  Json answer(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const auto result = aggregate(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  void write(const std::string& name, const std::string& text) const { write_file(folder_ / name, text); }
  void write_npy(const std::string& name, const std::string& type, const std::string& shape,
                 const std::vector<double>& values) const {
    const auto bytes = lab::readers::testing::npy_bytes(lab::readers::testing::npy_header(type, shape),
                                                        lab::readers::testing::bytes_of(values));
    write(name, std::string(bytes.begin(), bytes.end()));
  }

  TemporaryFolder folder_;
};

const std::vector<double> conflict{1, 0, 0, -1, 2, 0};
const std::vector<double> surgery{0.8, 2.4, 0};  // (1 - 1/5, 2/5, 0) + (0, 2, 0)

TEST_F(AggregateVerb, ReadsTheSameFromEveryFormat) {
  write("m.csv", "1,0,0\n-1,2,0\n");
  write("m.tsv", "1\t0\t0\r\n-1\t2\t+0\r\n\r\n");
  write("m.json", "[[1, 0, 0], [-1, 2.0, 0]]");
  write_npy("m.npy", "<f8", "(2, 3)", conflict);
  for (const auto* name : {"m.csv", "m.tsv", "m.json", "m.npy"}) {
    const auto object = answer({"--method", "pcgrad", name});
    const auto direction = object.at("direction").get<std::vector<double>>();
    ASSERT_EQ(direction.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(direction[j], surgery[j], 1e-15) << name;
    EXPECT_EQ(object.at("weights").size(), 2U);
    EXPECT_EQ(object.at("heads"), Json({1.0, 1.0}));
    EXPECT_EQ(object.at("method"), "pcgrad");
  }
}

TEST_F(AggregateVerb, TellsWeightsAndDirectionAsText) {
  write("m.csv", "1,0\n0,3\n");
  const auto result = aggregate({"--method", "mgda", "m.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.out, {"mgda of 2 gradients", "0.9", "0.1", "direction, of length 0.9486832981: 0.9 0.3"});
}

TEST_F(AggregateVerb, TakesOptionsAndLosses) {
  write("m.csv", "1,0\n0,3\n");
  EXPECT_EQ(answer({"--method", "cagrad", "--set", "radius=0", "m.csv"}).at("direction"), Json({0.5, 1.5}));
  EXPECT_EQ(answer({"--method", "cagrad", "--set", "radius=0", "m.csv"}).at("options").at("radius"), 0);
  const auto scaled = answer({"--method", "mgda", "--set", "normalise=loss", "--losses", "1,3", "m.csv"});
  EXPECT_NEAR(scaled.at("direction")[1].get<double>(), 0.5, 1e-15);
}

TEST_F(AggregateVerb, ListsEveryWeightingAndItsOptions) {
  const auto result = aggregate({"--list"});
  EXPECT_EQ(result.exit_code, 0);
  for (const auto& info : weighting_catalogue()) expect_told(result.out, {"\n" + info.name + " ", info.summary});
  expect_told(aggregate({"--list", "--method", "cagrad"}).out, {"radius", "0.5", "rescale", "true"});
}

TEST_F(AggregateVerb, EveryWeightingAnswers) {
  write("m.csv", "1,0,2,1\n-1,2,0,0.5\n0.5,-1,0,1\n0,1,1,-2\n3,1,-1,0\n1,1,0,0.25\n");
  for (const auto& info : weighting_catalogue()) {
    const auto weighting = info.make(info.resolve(Json::object(), {}));
    std::string losses = "1";
    for (int i = 1; i < 6 / weighting->needs().samples; ++i) losses += "," + std::to_string(i + 1);
    const auto object = answer({"--method", info.name, "--losses", losses, "m.csv"});
    EXPECT_EQ(object.at("direction").size(), 4U) << info.name;
  }
}

TEST_F(AggregateVerb, RefusesBadInput) {
  write("good.csv", "1,0\n0,3\n");
  write("ragged.csv", "1,0\n0,3,4\n");
  write("nan.csv", "1,0\n0,nan\n");
  write("huge.csv", "1,0\n0,1e999\n");
  write("words.csv", "a,b\n");
  write("hole.csv", "1,\n2,3\n");
  write("empty.csv", "");
  write("ragged.json", "[[1, 2], [3]]");
  write("words.json", "[[1, \"x\"]]");
  write("flat.json", "[1, 2]");
  write("broken.json", "[[1, 2");
  write("mixed.json", "[[1, 2], 3]");
  write("good.dat", "1,2\n");
  write_npy("flat.npy", "<f8", "(6,)", conflict);
  write_npy("nan.npy", "<f8", "(1, 2)", {1, std::nan("")});
  write_npy("complex.npy", "<c16", "(1, 3)", conflict);
  write_npy("truth.npy", "|b1", "(6, 8)", conflict);
  const auto refused = [&](std::vector<std::string> arguments, const std::vector<std::string>& told) {
    expect_refusal(aggregate(arguments), 2, told);
    arguments.emplace_back("--json");
    expect_refusal_object(aggregate(arguments), 2);
  };
  const auto refused_file = [&](const std::string& file, const std::vector<std::string>& told) {
    refused({"--method", "mgda", file}, told);
  };
  refused_file("ragged.csv", {"ragged.csv", "row 2: 3 values, row 1 has 2", "as many in every row"});
  refused_file("nan.csv", {"nan.csv", "row 2, column 2: 'nan' is not finite"});
  refused_file("huge.csv", {"row 2, column 2: '1e999' is beyond the range"});
  refused_file("hole.csv", {"row 1, column 2: '' is empty"});
  refused_file("empty.csv", {"empty.csv", "is empty"});
  refused_file("absent.csv", {"absent.csv", "does not exist"});
  refused_file("good.dat", {"good.dat", "no known kind", ".npy, .csv or .json"});
  refused_file("ragged.json", {"row 2: 1 values, row 1 has 2"});
  refused_file("words.json", {"row 1, column 2: '\"x\"' is no number"});
  refused_file("flat.json", {"no list of lists"});
  refused_file("broken.json", {"no list of lists"});
  refused_file("mixed.json", {"row 2: '3' is no list"});
  refused_file("flat.npy", {"1 dimensions, two are needed"});
  refused_file("nan.npy", {"nan.npy", "sample 0, value 1: nan is not a finite number"});
  refused_file("complex.npy", {"complex.npy", "'<c16'"});
  refused_file("truth.npy", {"truth.npy", "holds no numbers"});
  EXPECT_EQ(aggregate({"--method", "mgda", "words.csv"}).exit_code, 2);

  refused({}, {"needs --method and a matrix", "--list"});
  refused({"--method", "pcgard", "good.csv"}, {"pcgard", "no such weighting", "Did you mean 'pcgrad'?"});
  refused({"--method", "cagrad", "--set", "radios=1", "good.csv"}, {"radios", "Did you mean 'radius'?"});
  refused({"--method", "cagrad", "--set", "radius=-1", "good.csv"}, {"radius = -1", "out of range"});
  refused({"--method", "uw", "good.csv"}, {"--method uw without --losses", "Give 2 of them"});
  refused({"--method", "uw", "--losses", "1", "good.csv"}, {"--losses 1", "1 losses for 2 tasks"});
  refused({"--method", "uw", "--losses", "1,x", "good.csv"}, {"--losses 1,x", "finite numbers"});
  refused({"--method", "uw", "--losses", "1,nan", "good.csv"}, {"--losses 1,nan", "finite numbers"});
  refused({"--method", "uw", "--losses", "1,", "good.csv"}, {"--losses 1,", "finite numbers"});
}

}  // namespace
}  // namespace moblo::system_test
