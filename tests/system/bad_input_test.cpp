#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

const std::string pair = "problem = \"synthetic\"\nmethod = \"forum\"\n";
const std::string not_utf8 = "\xff\xfe";

struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> told;
  std::string experiment = pair;  ///< what stands in experiment.toml
  int exit_code = 2;
};

std::ostream& operator<<(std::ostream& out, const BadInput& input) {
  return out << input.name;
}

/// `run experiment.toml --set ASSIGNMENT`, the most common way to be wrong.
BadInput set(std::string name, const std::string& assignment, std::vector<std::string> told) {
  told.push_back("--set " + assignment);
  return {std::move(name), {"run", "experiment.toml", "--set", assignment}, std::move(told)};
}

BadInput file(std::string name, std::string text, std::vector<std::string> told) {
  return {std::move(name), {"run", "experiment.toml"}, std::move(told), std::move(text)};
}

class BadInputIsRefused : public ::testing::TestWithParam<BadInput> {
 protected:
  Result run(std::vector<std::string> arguments) const { return run_program({arguments, folder_.path()}); }

  void SetUp() override {
    write_file(folder_ / "experiment.toml", GetParam().experiment);
    write_file(folder_ / "file", "");
    fs::create_directory(folder_ / "folder");
  }

  TemporaryFolder folder_;
};

TEST_P(BadInputIsRefused, WithOneMessageAndNothingLeftBehind) {
  const auto before = contents(folder_.path());
  const auto result = run(GetParam().arguments);
  expect_refusal(result, GetParam().exit_code, GetParam().told);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contents(folder_.path()) == before) << "something was left behind or changed";
}

TEST_P(BadInputIsRefused, AsAnObjectWhereJsonIsAskedFor) {
  auto arguments = GetParam().arguments;
  const bool knows_json = arguments.front() == "run" || arguments.front() == "reproduce";
  const bool lacks_a_value = arguments.back().starts_with("--");
  if (!knows_json || lacks_a_value) return;
  arguments.emplace_back("--json");
  const auto before = contents(folder_.path());
  const auto result = run(arguments);
  expect_refusal(result, GetParam().exit_code, GetParam().told);
  expect_refusal_object(result, GetParam().exit_code);
  EXPECT_TRUE(contents(folder_.path()) == before) << "something was left behind or changed";
}

std::vector<BadInput> command_lines() {
  return {
      {"UnknownVerb", {"frobnicate"}, {"moblo frobnicate", "no such command", "Known: run"}},
      {"MisspeltVerb", {"rum"}, {"moblo rum", "Did you mean 'run'?"}},
      {"VerbThatIsNotUtf8", {not_utf8}, {"no such command"}},
      {"RunOfNothing", {"run"}, {"moblo run", "needs an experiment file or --resume", "moblo list experiments"}},
      {"UnknownFlag", {"run", "experiment.toml", "--frob"}, {"--frob", "moblo run --help"}},
      {"TwoFiles", {"run", "experiment.toml", "experiment.toml"}, {"experiment.toml", "moblo run --help"}},
      {"OutWithoutAFolder", {"run", "experiment.toml", "--out"}, {"--out", "missing"}},
      {"MissingFile", {"run", "missing.toml"}, {"missing.toml", "cannot be opened", "Check the path"}},
      {"FileNameThatIsNotUtf8", {"run", not_utf8}, {"cannot be opened"}},
      {"FolderAsFile", {"run", "folder"}, {"folder", "is a folder", "Name a .toml file"}},
      {"SeedsBackwards", {"run", "experiment.toml", "--seeds", "5..2"}, {"--seeds 5..2", "Write 0..2"}},
      {"SeedsOfLetters", {"run", "experiment.toml", "--seeds", "a..b"}, {"--seeds a..b", "Write 0..2"}},
      {"SeedsTwiceTheSame", {"run", "experiment.toml", "--seeds", "1,1"}, {"--seeds 1,1", "not a list of seeds"}},
      {"SeedsThatEndInAComma", {"run", "experiment.toml", "--seeds", "1,"}, {"--seeds 1,", "not a list of seeds"}},
      {"SeedsWithoutAnEnd", {"run", "experiment.toml", "--seeds", "1.."}, {"--seeds 1..", "not a list of seeds"}},
      {"EmptySeeds", {"run", "experiment.toml", "--seeds", ""}, {"--seeds", "not a list of seeds"}},
      {"NegativeSeed", {"run", "experiment.toml", "--seed", "-1"}, {"--seed", "'-1' is not a seed", "from 0"}},
      {"SeedOfLetters", {"run", "experiment.toml", "--seed", "x"}, {"--seed", "'x' is not a seed"}},
      {"SeedTooLarge", {"run", "experiment.toml", "--seed", "99999999999999999999"}, {"--seed"}},
      {"SeedWithSeeds", {"run", "experiment.toml", "--seed", "1", "--seeds", "0..2"}, {"excludes", "--seeds"}},
      {"ResumeWithAFile", {"run", "experiment.toml", "--resume", "folder"}, {"excludes --resume"}},
      {"ResumeWithSeeds", {"run", "--resume", "folder", "--seeds", "0..2"}, {"--seeds", "--resume"}},
      {"ReproduceOfNothing", {"reproduce"}, {"name is required", "moblo reproduce --help"}},
      {"UnknownExperiment",
       {"reproduce", "figure-33"},
       {"figure-33", "no such experiment", "Did you mean 'figure-3'?"}},
      {"CheckOfAnUnknownProblem", {"check-gradients", "syntetic"}, {"syntetic", "Did you mean 'synthetic'?"}},
      {"CheckWithAForeignOption",
       {"check-gradients", "synthetic", "--set", "forum.rho=1"},
       {"--set forum.rho=1", "not an option of the problem", "synthetic.option=value"}},
      {"CheckWithoutObjectives", {"check-gradients", "quadratic", "--set", "quadratic.m=0"}, {"quadratic.m = 0"}},
      {"CheckWithAToleranceOfNan", {"check-gradients", "synthetic", "--tolerance", "nan"}, {"'nan'", "above 0"}},
      {"CheckWithANegativeTolerance", {"check-gradients", "synthetic", "--tolerance", "-1"}, {"'-1'", "above 0"}},
      {"ReportOfNothing", {"report"}, {"folders is required", "moblo report --help"}},
      {"ReportOfAMissingFolder", {"report", "missing"}, {"missing", "is not a folder", "--out"}},
      {"ReportOfAFolderWithoutRuns", {"report", "folder"}, {"folder", "holds no run", "manifest.json"}},
      {"ListOfNothing", {"list"}, {"what is required", "moblo list --help"}},
      {"ListOfAnUnknownThing", {"list", "things"}, {"moblo list things", "Known: methods, weightings, problems"}},
      {"ListOfAMisspeltThing", {"list", "metods"}, {"Did you mean 'methods'?"}},
      {"ListOfAnUnknownMethod", {"list", "methods", "forumm"}, {"forumm", "Did you mean 'forum'?"}},
      {"ListOfAnUnknownProblem", {"list", "problems", "syntetic"}, {"Did you mean 'synthetic'?"}},
      {"ListOfAnExperimentsOptions", {"list", "experiments", "x"}, {"moblo list experiments x", "only methods"}},
  };
}

std::vector<BadInput> assignments() {
  return {
      set("SetWithoutAValue", "forum.rho", {"not of the form key=value", "forum.rho=0.3"}),
      set("SetWithAnEmptyValue", "forum.rho=", {"not of the form key=value"}),
      set("SetWithoutAKey", "=5", {"not of the form key=value"}),
      set("SetBelowAName", "method.x=5", {"does not lead to an option"}),
      set("SetBelowANumber", "iterations.x=5", {"a whole number is needed"}),
      set("SetBelowAnEmptyName", ".forum=5", {"does not lead to an option"}),
      set("SetThatEndsInADot", "forum.=5", {"does not lead to an option"}),
      set("SetOfATable", "forum=5", {"a table of options is needed", "[forum]"}),
      set("SetOfADate", "iterations=1979-05-27", {"dates and times"}),
      set("SetThatIsNotUtf8", not_utf8 + "=1", {"no such option"}),
      set("SetOfAValueThatIsNotUtf8", "synthetic.dtype=" + not_utf8, {"is none of f32, f64"}),
      set("MisspeltKey", "iteration=5", {"no such option", "Did you mean 'iterations'?"}),
      set("MisspeltKeyOfTheMethod", "forum.rhoo=5", {"forum.rhoo", "Did you mean 'rho'?"}),
      set("MisspeltKeyFarDown", "optimiser.alpha.stepsize=1", {"Did you mean 'step_size'?"}),
      set("WordAsNumber", "iterations=many", {"iterations = \"many\"", "a whole number is needed", ">= 1"}),
      set("FractionAsWholeNumber", "iterations=2.5", {"iterations = 2.5", "a whole number is needed"}),
      set("NumberAsTruth", "forum.upper_alpha_gradient=1", {"true or false is needed"}),
      set("NumberAsName", "method=5", {"method = 5", "a string is needed", "in quotes"}),
      set("NumberAsList", "synthetic.omega=3", {"a list of numbers is needed", "[0, 3]"}),
      set("WordInAList", "synthetic.omega=[0, \"x\"]", {"a number is needed"}),
      set("NegativeIterations", "iterations=-3", {"iterations = -3", "out of range", ">= 1"}),
      set("NoIterations", "iterations=0", {"iterations = 0", "out of range", ">= 1"}),
      set("IterationsThatAreNan", "iterations=nan", {"iterations = nan", "a finite number is needed"}),
      set("OptionThatIsNan", "forum.rho=nan", {"forum.rho = nan", "a finite number is needed", "[0, 1000000]"}),
      set("OptionThatIsInfinite", "forum.rho=inf", {"forum.rho = inf", "a finite number is needed"}),
      set("OptionBelowItsRange", "optimiser.alpha.step_size=-1", {"= -1", "out of range", "> 0"}),
      set("OptionAboveItsRange", "optimiser.omega.momentum=1", {"= 1", "out of range", "[0, 1)"}),
      set("StartThatIsNan", "synthetic.alpha=nan", {"synthetic.alpha = nan", "a finite number is needed"}),
      set("UnknownChoice", "synthetic.dtype=f16", {"\"f16\"", "is none of f32, f64", "Choose"}),
      set("UnknownOptimiser", "optimiser.alpha.kind=adamax", {"is none of sgd, momentum, adam, adamw"}),
      set("UnknownMethod", "method=forumm", {"no such method", "Did you mean 'forum'?"}),
      set("UnknownProblem", "problem=syntetic", {"no such problem", "Did you mean 'synthetic'?"}),
      set("ShapeThatDoesNotMatch", "synthetic.omega=[1,2,3]", {"3 numbers", "two coordinates", "[0, 3]"}),
      set("EmptyShape", "synthetic.omega=[]", {"0 numbers", "two coordinates"}),
      {"NoObjectives",
       {"run", "experiment.toml", "--set", "problem=quadratic", "--set", "quadratic.m=0"},
       {"quadratic.m = 0", "out of range", "[1, 1000]"}},
      {"UnsuitablePair",
       {"run", "experiment.toml", "--set", "problem=noisy_regression", "--set", "forum.profile=reference"},
       {"method forum on problem noisy_regression", "do not share their data", "Choose another pair"}},
  };
}

std::vector<BadInput> experiment_files() {
  return {
      file("EmptyFile", "", {"experiment.toml", "is empty", "problem = ..."}),
      file("FileOfComments", "# nothing\n", {"experiment.toml", "is empty"}),
      file("BrokenToml", "problem = \"synthetic\"\nmethod = \n", {"experiment.toml:2", "not valid TOML", "Fix"}),
      file("BinaryGarbage", std::string("\x7f\x45\x4c\x46\x00\xff\x01\x02", 8),
           {"experiment.toml:1", "not valid TOML"}),
      file("KeyGivenTwice", "problem = \"synthetic\"\nproblem = \"x\"\n", {"experiment.toml:2", "not valid TOML"}),
      file("MissingMethod", "problem = \"synthetic\"\n", {"has no `method`", "moblo list methods"}),
      file("MissingProblem", "method = \"forum\"\n", {"has no `problem`", "moblo list problems"}),
      file("UnknownKeyInAFile", pair + "iteration = 5\n", {"experiment.toml:3", "Did you mean 'iterations'?"}),
      file("UnknownKeyInATable", pair + "[forum]\nrhoo = 5\n", {"experiment.toml:4", "Did you mean 'rho'?"}),
      file("DateInAFile", pair + "iterations = 1979-05-27\n", {"experiment.toml:3", "dates and times"}),
      file("NegativeSeedInAFile", pair + "seed = -1\n", {"experiment.toml:3", "seed = -1", ">= 0"}),
      file("CaseThatIsNoList", pair + "[case]\nname = \"a\"\n", {"experiment.toml:3", "Write [[case]]"}),
      file("NoCases", pair + "case = []\n", {"experiment.toml:3", "list of cases is empty"}),
      file("CasesOfNumbers", pair + "case = [1]\n", {"case[0]", "a table of options is needed"}),
      file("UnknownKeyInACase", pair + "[[case]]\n[case.forum]\nrhoo = 5\n", {"experiment.toml:5", "'rho'?"}),
      file("UnknownCaseInAPanel",
           pair + "[[case]]\nname = \"a\"\n[[panel]]\ntitle = \"t\"\nquantity = \"q\"\ncases = [\"b\"]\n",
           {"case \"b\" in panel \"t\"", "does not exist"}),
      file("PanelWithoutAQuantity", pair + "[[panel]]\ntitle = \"t\"\n", {"panel[0]", "has no `quantity`"}),
      file("UnknownKeyInAPanel", pair + "[[panel]]\ntitle = \"t\"\nquantity = \"q\"\nlogs = 1\n",
           {"Did you mean 'log'?"}),
      file("ExpectationWithoutBounds", pair + "[[expect]]\nquantity = \"q\"\n", {"expects nothing", "at_most"}),
      file("ExpectationThatIsNoList", pair + "[expect]\nquantity = \"q\"\n", {"Write [[expect]]"}),
      file("PresetThatIsNotThere", "preset = \"fats\"\n" + pair + "[presets.fast]\niterations = 5\n",
           {"experiment.toml:1", "no preset 'fats'", "[presets.fast]"}),
      file("PresetThatIsNoText", "preset = 5\n" + pair, {"experiment.toml:1"}),
      file("PresetThatIsNoTable", "preset = \"fast\"\npresets = { fast = 5 }\n" + pair,
           {"a table of options is needed"}),
      file("UnknownKeyInAPreset", "preset = \"fast\"\n" + pair + "[presets.fast]\niteration = 5\n",
           {"Did you mean 'iterations'?"}),
      file("QuickThatIsNoTable", pair + "quick = 5\n", {"experiment.toml:3", "a table of options is needed"}),
  };
}

std::vector<BadInput> places() {
  return {
      {"ResumeOfAMissingFolder", {"run", "--resume", "missing"}, {"missing", "is not a run folder", "manifest.json"}},
      {"ResumeOfAFolderThatIsNoRun", {"run", "--resume", "folder"}, {"folder", "is not a run folder"}},
      {"ResumeOfAFile", {"run", "--resume", "file"}, {"file", "is not a run folder"}},
      {"OutThatIsAFile", {"run", "experiment.toml", "--out", "file"}, {"file", "is a file", "another --out"}},
      {"OutBelowAFile", {"run", "experiment.toml", "--out", "file/x"}, {"file/x", "Not a directory", "--out"}, pair, 1},
      {"OutThatCannotBeWritten", {"run", "experiment.toml", "--out", "/proc/x"}, {"/proc/x", "--out"}, pair, 1},
      {"ReproductionBelowAFile", {"reproduce", "figure-3", "--quiet", "--out", "file/x"}, {"file/x"}, pair, 1},
#ifndef __SANITIZE_ADDRESS__  // whose allocator ends the program itself
      {"MoreMemoryThanThereIs",
       {"run", "experiment.toml", "--set", "problem=noisy_regression", "--set",
        "noisy_regression.samples=100000000000000"},
       {"problem noisy_regression", "memory", "ask for less"}},
#endif
  };
}

std::string name_of(const ::testing::TestParamInfo<BadInput>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadInputIsRefused, ::testing::ValuesIn(command_lines()), name_of);
INSTANTIATE_TEST_SUITE_P(Set, BadInputIsRefused, ::testing::ValuesIn(assignments()), name_of);
INSTANTIATE_TEST_SUITE_P(File, BadInputIsRefused, ::testing::ValuesIn(experiment_files()), name_of);
INSTANTIATE_TEST_SUITE_P(Place, BadInputIsRefused, ::testing::ValuesIn(places()), name_of);

}  // namespace
}  // namespace moblo::system_test
