#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::cli {

/// Somebody looks at the samples of a `moblo clean` and says what they are. All that is written is verdicts.csv in its
/// folder, as a whole after each verdict: a kill loses nothing that was answered. Called from several threads.
class ReviewSession {
 public:
  /// The samples of review.csv, or of flagged.csv where there is none; what can be shown of them stands in review.json.
  /// Verdicts that are there already count. Error(data) where one of the files is missing or is not what it should be.
  explicit ReviewSession(const std::filesystem::path& folder);

  std::size_t size() const { return samples_.size(); }
  std::size_t judged() const;
  std::filesystem::path verdicts_file() const;
  /// The `moblo clean` that takes the verdicts in.
  std::string command() const;
  /// What the page has to know: samples, classes, verdicts, the command.
  Json description() const;
  /// A data: address with the picture of a sample; nothing where there is none, or its file is no picture any more.
  std::optional<std::string> picture(std::size_t sample) const;
  /// False where there is no such sample, or no such class in its dataset. No class: takes the verdict back.
  bool judge(std::size_t sample, const std::optional<std::string>& label);

 private:
  using Key = std::pair<std::string, std::string>;  // dataset, id

  struct Sample {
    Key key;
    std::string given, predicted, probability, reason;
    Json shown;  // "picture": a file or a data: address; "values": of the columns
  };
  struct Dataset {
    std::vector<std::string> classes, columns;
  };
  struct Verdict {
    std::string label, reason;
  };

  void read_list(const std::filesystem::path& file);
  void read_shown(const Json& document);
  void read_verdicts();
  void write_verdicts() const;

  std::filesystem::path folder_;
  std::string command_;
  std::vector<Sample> samples_;
  std::map<std::string, Dataset> datasets_;
  mutable std::mutex lock_;  // of what follows
  std::map<Key, Verdict> verdicts_;
};

}  // namespace moblo::cli
