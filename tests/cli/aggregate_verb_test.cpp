#include <fmt/format.h>
#include <gtest/gtest.h>

#include "moblo/aggregation/aggregate.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/rng.hpp"
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

  void write_rows(const std::string& name, const TaskGradients& rows) const {
    write_npy(name, "<f8", fmt::format("({}, {})", rows.rows(), rows.cols()),
              std::vector<double>(rows.data(), rows.data() + rows.size()));
  }

  TemporaryFolder folder_;
};

TaskGradients random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return TaskGradients::NullaryExpr(rows, columns, [&] { return 0.3 + rng.normal(); });
}

/// Some losses of step k, as the command line takes them.
std::string losses_of(int tasks, int k) {
  std::string text;
  for (int i = 0; i < tasks; ++i) text += fmt::format("{}{}", i > 0 ? "," : "", 0.5 + 0.25 * ((i + 3 * k) % 7));
  return text;
}

Eigen::VectorXd numbers(const std::string& list) {
  const auto values = Json::parse("[" + list + "]").get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Eigen::VectorXd vector_in(const Json& object, const std::string& key) {
  return numbers(object.at(key).dump().substr(1, object.at(key).dump().size() - 2));
}

void expect_near(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_LE((a - b).norm(), 1e-9 * (1e-3 + b.norm())) << what << ": " << a.transpose() << "\nand\n" << b.transpose();
}

/// After steps that went well, and were told.
void expect_refusal_in_a_row(const Result& result, int exit_code, const std::vector<std::string>& told) {
  expect_refusal(result, exit_code, told);
  expect_told(result.out, {"step 1, "});
}

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

/// Weights and products are what the matrix itself gives; a direction there is not.
TEST_F(AggregateVerb, TakesAGramianInsteadOfAMatrix) {
  const TaskGradients rows = random_rows(6, 9, 1);
  const TaskGradients gramian = rows * rows.transpose();
  write_rows("m.npy", rows);
  write_rows("g.npy", gramian);
  for (const auto& info : weighting_catalogue()) {
    const auto needs = info.make(info.resolve(Json::object(), {}))->needs();
    if (needs.entries) continue;
    std::vector<std::string> command{"--method", info.name, "--losses", losses_of(6 / needs.samples, 1)};
    command.emplace_back("m.npy");
    const auto known = answer(command);
    command.back() = "--gramian";
    command.emplace_back("g.npy");
    const auto object = answer(command);
    const Eigen::VectorXd direction = vector_in(known, "direction"), products = vector_in(object, "products");
    expect_near(vector_in(object, "weights"), vector_in(known, "weights"), info.name);
    expect_near(vector_in(object, "heads"), vector_in(known, "heads"), info.name);
    expect_near(products, rows * direction, info.name);
    EXPECT_NEAR(object.at("length").get<double>(), direction.norm(), 1e-9 * direction.norm()) << info.name;
    EXPECT_FALSE(object.contains("direction"));
  }
}

TEST_F(AggregateVerb, TellsWhatAGramianDetermines) {
  write("g.csv", "1,0\n0,9\n");
  const auto result = aggregate({"--method", "mgda", "--gramian", "g.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.out,
              {"mgda of 2 gradients, from their Gramian", "product with the direction", "1    0.9     1       0.9",
               "2    0.1     3       0.9", "direction of length 0.9486832981; a Gramian does not tell its entries"});
}

TEST_F(AggregateVerb, RefusesWhatIsNoGramian) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& told) {
    write("g.csv", text);
    expect_refusal(aggregate({"--method", "mgda", "--gramian", "g.csv"}), 2, told);
  };
  refused("1,0,0\n0,3,0\n", {"g.csv", "2 rows and 3 columns", "is square"});
  refused("1,0\n0.1,3\n", {"row 2, column 1: 0.1, but 0 the other way round", "symmetric"});
  refused("1,0\n0,-3\n", {"row 2: -3 in the diagonal", "below 0"});
  refused("1,2\n2,1\n", {"no gradients have these products", "is -1"});
  refused("1,-0.9,-0.9\n-0.9,1,-0.9\n-0.9,-0.9,1\n", {"no gradients have these products", "is -0.8"});
  refused("1,0.1\n0.1,0\n", {"row 2, column 1: 0.1 beside a gradient of length 0"});
  refused("1e-320,0\n0,1\n", {"row 1", "lost its digits to underflow"});
  for (const auto* good : {"4,-2\n-2,0.9999998\n", "0,0\n0,4\n", "0\n", "1e-300,1e-301\n1e-301,1e-300\n"}) {
    write("g.csv", good);  // rounded to seven digits, with gradients of zero, short ones
    const auto result = aggregate({"--method", "mgda", "--gramian", "g.csv"});
    EXPECT_EQ(result.exit_code, 0) << good << result.err;
  }
  for (const auto* name : {"graddrop", "dbmtl", "excess"}) {
    expect_refusal(aggregate({"--method", name, "--losses", "1,1", "--gramian", "g.csv"}), 2,
                   {std::string("--method ") + name + " with --gramian", "entries", "Give the matrix"});
  }
  write("m.csv", "1,0\n0,1\n");
  expect_refusal(aggregate({"--method", "mgda", "m.csv", "--gramian", "g.csv"}), 2, {"m.csv and --gramian g.csv"});
}

/// The files are steps of one weighting: each answer is that of a weighting which has seen those before.
TEST_F(AggregateVerb, FilesInARowAreStepsThatAreRemembered) {
  std::vector<TaskGradients> matrices;
  for (int k = 0; k < 3; ++k) {
    matrices.push_back(random_rows(6, 4, 10 + static_cast<std::uint64_t>(k)));
    write_rows(fmt::format("m{}.npy", k), matrices.back());
  }
  for (const auto& info : weighting_catalogue()) {
    const auto weighting = info.make(info.resolve(Json::object(), {}));
    const int tasks = 6 / weighting->needs().samples;
    std::vector<std::string> command{"--method", info.name};
    for (int k = 0; k < 3; ++k) {
      command.insert(command.end(), {"--losses", losses_of(tasks, k)});
      if (k < 2) command.insert(command.end(), {"--losses-after", losses_of(tasks, k + 5)});
    }
    command.insert(command.end(), {"m0.npy", "m1.npy", "m2.npy"});
    const auto all = answer(command);
    ASSERT_TRUE(all.is_array()) << info.name;
    ASSERT_EQ(all.size(), 3U);
    weighting->start(tasks);
    for (int k = 0; k < 3; ++k) {
      const auto& matrix = matrices[static_cast<std::size_t>(k)];
      const Aggregate known = moblo::aggregate(*weighting, matrix, {k, 1, numbers(losses_of(tasks, k)), {}});
      if (weighting->needs().losses_after) weighting->observe_after(numbers(losses_of(tasks, k + 5)));
      const auto& object = all[static_cast<std::size_t>(k)];
      expect_near(vector_in(object, "direction"), known.direction, info.name);
      EXPECT_EQ(object.at("file"), fmt::format("m{}.npy", k));
    }
  }
}

TEST_F(AggregateVerb, SaysOneStepAfterTheOther) {
  write("a.csv", "1,0\n-1,2\n");
  write("b.csv", "1,0\n0,3\n");
  const auto result = aggregate({"--method", "gradvac", "a.csv", "b.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.out, {"step 1, a.csv\ngradvac of 2 gradients", "\n\nstep 2, b.csv\ngradvac of 2 gradients"});
  write("g.csv", "1,0\n0,3\n");
  EXPECT_EQ(answer({"--method", "uw", "--losses", "1,2", "--gramian", "g.csv", "--gramian", "g.csv"}).size(), 2U);
}

TEST_F(AggregateVerb, RefusesStepsThatDoNotFitTogether) {
  write("a.csv", "1,0\n-1,2\n");
  write("three.csv", "1,0\n0,3\n1,1\n");
  write("wide.csv", "1,0,0\n-1,2,0\n");
  expect_refusal_in_a_row(aggregate({"--method", "gradvac", "a.csv", "three.csv"}), 2,
                          {"three.csv: 3 tasks", "a.csv has 2", "same tasks"});
  expect_refusal_in_a_row(aggregate({"--method", "excess", "a.csv", "wide.csv"}), 2,
                          {"wide.csv: ExcessMTL: gradients of another size"});
  expect_refusal(aggregate({"--method", "uw", "--losses", "1,1", "--losses", "1,1", "a.csv", "a.csv", "a.csv"}), 2,
                 {"--losses 2 times for 3 files", "once per file"});
  expect_refusal(aggregate({"--method", "famo", "--losses", "1,1", "a.csv", "a.csv"}), 2,
                 {"--method famo", "--losses-after 0 times for 2 files", "after each step"});
  expect_refusal_object(aggregate({"--method", "gradvac", "a.csv", "three.csv", "--json"}), 2);
}

/// Lengths and cosines of rows whose squares overflow.
TEST_F(AggregateVerb, TakesGradientsOfAnySize) {
  write("huge.csv", "1e200,0\n0,3e200\n");
  expect_told(aggregate({"--method", "mgda", "huge.csv"}).out,
              {"1    0.9     1e+200", "0.948683", "direction, of length 9.486832981e+199: 9e+199 3e+199"});
  write("tiny.csv", "1e-200,0\n0,3e-200\n");
  expect_told(aggregate({"--method", "mgda", "tiny.csv"}).out, {"1    0.9     1e-200", "of length 9.486832981e-201"});
  expect_refusal(aggregate({"--method", "fairgrad", "huge.csv"}), 1,
                 {"huge.csv: gradient 1 of length 1.0e+200", "overflows", "Multiply all gradients by one number"});
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
  refused_file("words.json", {"row 1, column 2: '\"x\"' is not a number"});
  refused_file("flat.json", {"not a list of lists"});
  refused_file("broken.json", {"not a list of lists"});
  refused_file("mixed.json", {"row 2: '3' is not a list"});
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
