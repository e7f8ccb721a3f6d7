#include "lab/data/noisy_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::data {
namespace {

constexpr std::int64_t largest_side = 512;

[[noreturn]] void refuse(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::usage, given, rule, next);
}

struct Named {
  std::string name, value;
};

/// A name has letters, digits, '-', '_' and '.', so that ./a=b.csv is a path and a=b.csv is the file b.csv called a.
Named parse_named(const std::string& flag, const std::string& text) {
  const std::size_t sign = text.find('=');
  const bool named = sign != std::string::npos && sign > 0 &&
                     std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(sign),
                                 [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  Named parsed = named ? Named{text.substr(0, sign), text.substr(sign + 1)} : Named{"", text};
  if (parsed.value.empty()) {
    refuse(fmt::format("{} '{}'", flag, text), "holds no value", fmt::format("Write {} NAME=VALUE", flag));
  }
  return parsed;
}

std::string name_of_file(const std::filesystem::path& file) {
  std::filesystem::path last = file.has_filename() ? file.filename() : file.parent_path().filename();
  if (last.extension() == ".gz") last = last.stem();
  const std::string stem = last.stem().string();
  return stem.empty() || stem == "." || stem == ".." ? "data" : stem;
}

std::vector<std::string> names_of(const std::vector<NoisySource>& sources) {
  std::vector<std::string> names;
  for (const auto& source : sources) names.push_back(source.name);
  return names;
}

std::size_t index_of(const std::string& flag, const std::string& text, const Named& named,
                     const std::vector<NoisySource>& sources) {
  const std::string given = fmt::format("{} {}", flag, text);
  if (named.name.empty()) {
    if (sources.size() == 1) return 0;
    refuse(given, fmt::format("does not say which of the {} datasets it is for", sources.size()),
           fmt::format("Write {} NAME={}, with NAME one of {}", flag, named.value, base::join(names_of(sources))));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].name == named.name) return i;
  }
  refuse(given, fmt::format("no dataset is called '{}'{}", named.name, base::suggestion(named.name, names_of(sources))),
         "Name one of them; a file whose name holds '=' is written ./FILE");
}

/// Hands the value of each text to `set`, with the source that it is for; one dataset takes an option once.
template <class Set>
void distribute(const std::string& flag, const std::vector<std::string>& texts, std::vector<NoisySource>& sources,
                const Set& set) {
  std::set<std::size_t> taken;
  for (const auto& text : texts) {
    const Named named = parse_named(flag, text);
    const std::size_t index = index_of(flag, text, named, sources);
    if (!taken.insert(index).second) {
      refuse(fmt::format("{} {}", flag, text), fmt::format("dataset '{}' has this option already", sources[index].name),
             "Give it once");
    }
    set(sources[index], named.value);
  }
}

std::string parse_format(const std::string& text) {
  const std::vector<std::string> known{"auto", "csv", "npz", "idx", "images"};
  if (std::find(known.begin(), known.end(), text) != known.end()) return text;
  refuse("--format " + text, "is not a format" + base::suggestion(text, known), "Use " + base::join(known, ", "));
}

std::int64_t parse_size(const std::string& text) {
  std::int64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem == std::errc() && end == text.data() + text.size() && size >= 4 && size <= largest_side) return size;
  refuse("--image-size " + text, fmt::format("is not a whole number between 4 and {}", largest_side),
         "Give the side in pixels, e.g. --image-size 28");
}

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> columns;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    if (end > start) columns.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return columns;
}

/// The last colon parts a column from its kind.
std::vector<std::pair<std::string, std::string>> parse_kinds(const std::string& text) {
  const std::vector<std::string> known{"number", "amount", "category", "boolean", "date", "text", "ignore"};
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& one : parse_columns(text)) {
    const auto colon = one.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      refuse("--columns " + one, "says no kind", "Write COLUMN:KIND, e.g. zip:category");
    }
    const auto kind = one.substr(colon + 1);
    if (std::find(known.begin(), known.end(), kind) == known.end()) {
      refuse("--columns " + one, fmt::format("'{}' is not a kind of column{}", kind, base::suggestion(kind, known)),
             "Use " + base::join(known));
    }
    kinds.emplace_back(one.substr(0, colon), kind);
  }
  return kinds;
}

std::vector<NoisySource> name_sources(const std::vector<std::string>& texts) {
  std::vector<NoisySource> sources;
  for (const auto& text : texts) {
    const Named named = parse_named("--noisy", text);
    NoisySource source;
    source.data = named.value;
    source.name = named.name.empty() ? name_of_file(source.data) : named.name;
    for (const auto& other : sources) {
      if (other.name != source.name) continue;
      refuse("--noisy " + text, fmt::format("a dataset called '{}' was given already", source.name),
             "Call one of them differently: --noisy NAME=FILE");
    }
    sources.push_back(std::move(source));
  }
  if (sources.empty()) {
    refuse("no --noisy", "at least one dataset is needed", "Give --noisy FILE, e.g. --noisy samples.csv");
  }
  return sources;
}

}  // namespace

const std::vector<NoisyOption>& noisy_options() {
  using A = NoisyArguments;
  static const std::vector<NoisyOption> options{
      {"--noisy", "[NAME=]FILE", "A dataset: CSV, npz/npy, IDX, or an image folder or list", &A::noisy},
      {"--trusted", "[NAME=]FILE", "More samples, whose labels are right, or a .txt with the ids of such", &A::trusted},
      {"--checked", "[NAME=]FILE", "Verdicts: a CSV with the columns id and checked_label", &A::checked},
      {"--probabilities", "[NAME=]FILE", "Class probabilities by models that have not seen the label: id, classes",
       &A::probabilities},
      {"--labels", "[NAME=]FILE", "The labels of an IDX or npy file", &A::labels},
      {"--trusted-labels", "[NAME=]FILE", "The labels of an IDX or npy file given by --trusted", &A::trusted_labels},
      {"--test", "[NAME=]FILE", "Samples with right labels that are only measured on", &A::test},
      {"--test-labels", "[NAME=]FILE", "The labels of an IDX or npy file given by --test", &A::test_labels},
      {"--format", "[NAME=]FORMAT", "auto, csv, npz, idx or images", &A::format},
      {"--label-column", "[NAME=]COLUMN", "CSV: the column of labels (label)", &A::label_column},
      {"--id-column", "[NAME=]COLUMN", "CSV: the column of ids (id, or the row numbers)", &A::id_column},
      {"--trusted-column", "[NAME=]COLUMN", "CSV: 1 where the label is right (trusted)", &A::trusted_column},
      {"--checked-column", "[NAME=]COLUMN", "CSV: the right label where somebody checked it (checked_label)",
       &A::checked_column},
      {"--group-column", "[NAME=]COLUMN", "CSV: who labelled a sample, or the like: wrong labels are told by group",
       &A::group_column},
      {"--ignore", "[NAME=]COLUMN,..", "CSV: columns that are not features", &A::ignore},
      {"--columns", "[NAME=]COLUMN:KIND,..",
       "CSV: what columns hold: number, amount, category, boolean, date, text or ignore", &A::columns},
      {"--image-size", "[NAME=]PIXELS", "Side of the square that images are brought to", &A::image_size},
      {"--features", "[NAME=]WHAT", "Image files: auto, none, squeezenet, or a file of a network's weights",
       &A::features},
  };
  return options;
}

std::vector<NoisySource> parse_noisy_sources(const NoisyArguments& arguments) {
  using S = NoisySource;
  using Text = const std::string&;
  auto sources = name_sources(arguments.noisy);
  distribute("--trusted", arguments.trusted, sources, [](S& s, Text text) { s.trusted = text; });
  distribute("--labels", arguments.labels, sources, [](S& s, Text text) { s.labels = text; });
  distribute("--trusted-labels", arguments.trusted_labels, sources, [](S& s, Text text) { s.trusted_labels = text; });
  distribute("--format", arguments.format, sources, [](S& s, Text text) { s.format = parse_format(text); });
  distribute("--label-column", arguments.label_column, sources, [](S& s, Text text) { s.label_column = text; });
  distribute("--id-column", arguments.id_column, sources, [](S& s, Text text) { s.id_column = text; });
  distribute("--trusted-column", arguments.trusted_column, sources, [](S& s, Text text) { s.trusted_column = text; });
  distribute("--checked-column", arguments.checked_column, sources, [](S& s, Text text) { s.checked_column = text; });
  distribute("--checked", arguments.checked, sources, [](S& s, Text text) { s.checked = text; });
  distribute("--probabilities", arguments.probabilities, sources, [](S& s, Text text) { s.probabilities = text; });
  distribute("--ignore", arguments.ignore, sources, [](S& s, Text text) { s.ignored_columns = parse_columns(text); });
  distribute("--group-column", arguments.group_column, sources, [](S& s, Text text) {
    s.group_column = text;
    s.ignored_columns.push_back(text);
  });
  distribute("--columns", arguments.columns, sources, [](S& s, Text text) { s.column_kinds = parse_kinds(text); });
  distribute("--image-size", arguments.image_size, sources, [](S& s, Text text) { s.image_size = parse_size(text); });
  distribute("--features", arguments.features, sources, [](S& s, Text text) { s.features = text; });
  for (const auto& source : sources) {
    if (source.trusted_labels.empty() || !source.trusted.empty()) continue;
    refuse("--trusted-labels " + source.trusted_labels.string(), "there is no --trusted that they belong to",
           "Give --trusted FILE as well");
  }
  return sources;
}

std::vector<NoisySource> parse_test_sources(const NoisyArguments& arguments, const std::vector<NoisySource>& sources) {
  std::vector<NoisySource> tests;
  for (const auto& source : sources) {
    NoisySource test = source;
    test.data = test.labels = test.trusted = test.trusted_labels = test.checked = test.probabilities = "";
    tests.push_back(std::move(test));
  }
  using S = NoisySource;
  using Text = const std::string&;
  distribute("--test", arguments.test, tests, [](S& s, Text text) { s.data = text; });
  distribute("--test-labels", arguments.test_labels, tests, [](S& s, Text text) { s.labels = text; });
  for (const auto& test : tests) {
    if (test.labels.empty() || !test.data.empty()) continue;
    refuse("--test-labels " + test.labels.string(), "there is no --test that they belong to",
           "Give --test FILE as well");
  }
  return tests;
}

}  // namespace moblo::lab::data
