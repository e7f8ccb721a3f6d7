#include "lab/config/config.hpp"

#include <gtest/gtest.h>

#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"

namespace moblo::lab::config {
namespace {

struct Inner {
  double size = 1;
  static const OptionTable<Inner>& table() {
    static const auto t = OptionTable<Inner>().add("size", &Inner::size, "a size", above(0));
    return t;
  }
};

enum class Colour { red, blue };

struct Sample {
  bool flag = false;
  std::int64_t count = 3;
  double ratio = 0.5;
  std::string label = "x";
  std::vector<double> point{1, 2};
  Colour colour = Colour::red;
  Inner inner;
};

constexpr auto enum_names(Colour) {
  return std::array{std::pair{"red", Colour::red}, std::pair{"blue", Colour::blue}};
}

const OptionTable<Sample>& sample_table() {
  static const auto table = [] {
    OptionTable<Sample> t;
    t.add("flag", &Sample::flag, "a flag");
    t.add("count", &Sample::count, "a count", at_least(1));
    t.add("ratio", &Sample::ratio, "a ratio", within(0, 1));
    t.add("label", &Sample::label, "a label");
    t.add("point", &Sample::point, "a point");
    t.add("colour", &Sample::colour, "a colour");
    t.nest("inner", &Sample::inner, Inner::table());
    return t;
  }();
  return table;
}

Sample read_sample(const std::string& toml) {
  const auto config = Config::from_text(toml, "sample.toml");
  Sample sample;
  sample_table().read(config.values, sample, {&config, ""});
  return sample;
}

std::string message_of(const std::string& toml) {
  try {
    read_sample(toml);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
  return "";
}

TEST(OptionTable, ReadsEveryTypeFromToml) {
  const auto sample = read_sample(
      "flag = true\ncount = 7\nratio = 0.25\nlabel = \"hi\"\npoint = [3, 4.5]\ncolour = \"blue\"\n[inner]\nsize = 2\n");
  EXPECT_TRUE(sample.flag);
  EXPECT_EQ(sample.count, 7);
  EXPECT_EQ(sample.ratio, 0.25);
  EXPECT_EQ(sample.label, "hi");
  EXPECT_EQ(sample.point, (std::vector<double>{3, 4.5}));
  EXPECT_EQ(sample.colour, Colour::blue);
  EXPECT_EQ(sample.inner.size, 2);
}

TEST(OptionTable, WritesWhatItReads) {
  const Json written = sample_table().write(read_sample("count = 9\ncolour = \"blue\"\n[inner]\nsize = 4\n"));
  Sample again;
  sample_table().read(written, again, {});
  EXPECT_EQ(sample_table().write(again), written);
  EXPECT_EQ(written["inner"]["size"], 4.0);
}

TEST(OptionTable, NamesTheNearestKeyAndTheLineOfAnUnknownOne) {
  const auto message = message_of("flag = true\ncuont = 3\n");
  EXPECT_NE(message.find("sample.toml:2"), std::string::npos) << message;
  EXPECT_NE(message.find("'count'"), std::string::npos) << message;
}

TEST(OptionTable, RefusesValuesOutOfRangeOfTheWrongTypeOrNotFinite) {
  EXPECT_NE(message_of("ratio = 1.5\n").find("[0, 1]"), std::string::npos);
  EXPECT_NE(message_of("count = 0\n").find(">= 1"), std::string::npos);
  EXPECT_NE(message_of("count = 1.5\n").find("whole number"), std::string::npos);
  EXPECT_NE(message_of("count = \"three\"\n").find("whole number"), std::string::npos);
  EXPECT_NE(message_of("ratio = nan\n").find("finite"), std::string::npos);
  EXPECT_NE(message_of("ratio = inf\n").find("finite"), std::string::npos);
  EXPECT_NE(message_of("flag = 1\n").find("true or false"), std::string::npos);
  EXPECT_NE(message_of("label = 3\n").find("string"), std::string::npos);
  EXPECT_NE(message_of("point = 3\n").find("list of numbers"), std::string::npos);
  EXPECT_NE(message_of("colour = \"green\"\n").find("red, blue"), std::string::npos);
  EXPECT_NE(message_of("inner = 3\n").find("table"), std::string::npos);
  EXPECT_NE(message_of("[inner]\nsize = -1\n").find("inner.size"), std::string::npos);
  EXPECT_NE(message_of("label = 2024-01-01\n").find("dates"), std::string::npos);
}

TEST(OptionTable, FieldInfoCarriesDefaultsOfNestedTables) {
  const auto fields = sample_table().fields();
  const auto nested =
      std::find_if(fields.begin(), fields.end(), [](const FieldInfo& f) { return f.key == "inner.size"; });
  ASSERT_NE(nested, fields.end());
  EXPECT_EQ(nested->default_value, 1.0);
  EXPECT_EQ(nested->range, "> 0");
}

TEST(Config, LaterSettingsWinAndBareWordsAreStrings) {
  auto config = Config::from_text("a = 1\n[t]\nb = 2\n", "c.toml");
  config.set("t.b=3");
  config.set("t.b=4.5");
  config.set("word=hello");
  config.set("list=[1, 2]");
  EXPECT_EQ(config.values["t"]["b"], 4.5);
  EXPECT_EQ(config.values["word"], "hello");
  EXPECT_EQ(config.values["list"], Json::array({1, 2}));
  EXPECT_EQ(config.place("a"), "c.toml:1");
  EXPECT_EQ(config.place("t.b"), "--set t.b=4.5");
}

TEST(Config, RefusesSettingsThatAreNoAssignments) {
  Config config;
  for (const char* bad : {"nothing", "=3", "a=", "a..b=1", ".a=1"}) EXPECT_THROW(config.set(bad), Error) << bad;
  config.set("a=1");
  EXPECT_THROW(config.set("a.b=2"), Error);
}

TEST(Config, TextThatWouldLeadTheParserAstrayIsRefusedWithItsLine) {
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i) deep += ".a";
  for (const auto& bad : {"x = 1\n" + deep + " = 1\n", "\n[" + deep + "]\n", "x = 1\ny = { " + deep + " = 1 }\n",
                          std::string("x = 1\n\xc3\xa9t\xc3\xa9 = 1\n"), std::string("x = 1\ny = \xc3\xa9\n")}) {
    try {
      Config::from_text(bad, "file.toml");
      ADD_FAILURE() << bad.substr(0, 40);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("file.toml:2"), std::string::npos) << error.what();
    }
  }
  const auto good = Config::from_text(
      "\xef\xbb\xbf# caf\xc3\xa9 ........................................\n\"caf\xc3\xa9\" = '\xc3\xa9.\\'\n"
      "long = \"\"\"\n\xc3\xa9 \\\"\"\" . a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\"\"\"\n"
      "numbers = [1.5, 2.5, 3.5]\n",
      "file.toml");
  EXPECT_EQ(good.values["caf\xc3\xa9"], "\xc3\xa9.\\");
  EXPECT_EQ(good.values["numbers"].size(), 3U);
  Config set;
  set.set("select=\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(set.values["select"], "\xc3\xa9t\xc3\xa9");
  EXPECT_THROW(set.set(deep + "=1"), Error);
}

std::string refusal_of(const std::string& toml) {
  try {
    Config::from_text(toml, "file.toml");
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

// toml++ 3.3 has undefined behaviour on letters of U+00A1 to U+0499 where no letter may be.
TEST(Config, LettersBeyondAsciiOutOfPlaceAreRefusedInWords) {
  const std::string letter = "\xd2\x94";  // U+0494
  for (const std::string& bad :
       {"a = [1m.. " + letter, "a = 1" + letter, "a = " + letter, letter + " = 1", "a." + letter + " = 1", "[" + letter,
        "a = [1ue, 'm = \"\"\"\nabc\\\n " + letter + "']", "a = \"x\\" + letter + "\"", "a = 1979-05-27T" + letter}) {
    const std::string refusal = refusal_of(bad);
    EXPECT_NE(refusal.find("file.toml:"), std::string::npos) << bad << '\n' << refusal;
    EXPECT_EQ(refusal.find_first_of("~^|`@$"), std::string::npos) << bad << '\n' << refusal;
  }
  EXPECT_NE(refusal_of("x = 1\na = " + letter).find("file.toml:2: not valid TOML: a letter beyond ASCII"),
            std::string::npos)
      << refusal_of("x = 1\na = " + letter);
  const std::string twice = refusal_of("'" + letter + "' = 1\n'" + letter + "' = 2");
  EXPECT_NE(twice.find("file.toml:2"), std::string::npos) << twice;
  EXPECT_NE(twice.find("cannot redefine"), std::string::npos) << twice;
  EXPECT_EQ(twice.find_first_of("~^|`@$"), std::string::npos) << twice;
}

TEST(Config, StringsAreTheFilesOwnWhateverTheyHave) {
  const std::string odd = "~^|`@$";
  const auto config = Config::from_text("a = '\xc3\xa9~\xc3\xa9~~c3\xe2\x82\xac" + odd +
                                            "'\n"
                                            "b = \"\"\"~\\u007ec3\\U0000007Ea9 \\u007E\\\n   ~c3\xc3\xa9\\u00e9\"\"\"\n"
                                            "\"\\u007ec3 \xc3\xa9\" = \"\xf0\x9f\x98\x80\\t\"\n" +
                                            "'\xc3\xa8' = 1\n'\xc3\xa9' = 2\nc = '" + odd + odd + "'\n",
                                        "file.toml");
  EXPECT_EQ(config.values["a"], "\xc3\xa9~\xc3\xa9~~c3\xe2\x82\xac" + odd);
  EXPECT_EQ(config.values["b"], "~~c3~a9 ~~c3\xc3\xa9\xc3\xa9");
  EXPECT_EQ(config.values["~c3 \xc3\xa9"], "\xf0\x9f\x98\x80\t");
  EXPECT_EQ(config.values["\xc3\xa8"], 1);
  EXPECT_EQ(config.values["\xc3\xa9"], 2);
  EXPECT_EQ(config.place("\xc3\xa9"), "file.toml:6");
  Config set;
  set.set("list=['\xc3\xa9~', \"\\u007e\xe2\x82\xac\"]");
  EXPECT_EQ(set.values["list"], Json::array({"\xc3\xa9~", "~\xe2\x82\xac"}));
}

TEST(Config, TextThatIsNotUtf8IsRefusedWithItsLine) {
  for (const char* bad : {"\x80", "\xc3", "\xc3(", "\xc1\x81", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff\xfe"}) {
    EXPECT_NE(refusal_of(std::string("x = 1\n# ") + bad + "\n").find("file.toml:2: not valid TOML: it is not UTF-8"),
              std::string::npos);
  }
}

TEST(Config, ABraceThatClosesNothingIsNoToml) {
  for (const char* text : {"a = [}", "a = {b = ]}", "a = [[,"}) {
    EXPECT_THROW(Config::from_text(text, "test.toml"), Error) << text;
  }
}

}  // namespace
}  // namespace moblo::lab::config
