#include "cli/review_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "lab/data/csv.hpp"
#include "lab/data/file_bytes.hpp"
#include "lab/data/problems.hpp"
#include "lab/report/png.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_picture = 1ULL << 26;

/// Cells of a small CSV by the names of their columns; absent columns give empty cells.
class NamedRows {
 public:
  explicit NamedRows(const fs::path& file) : content_(file), records_(content_.text(), ','), file_(file.string()) {
    header_ = lab::data::read_header(records_, file_);
  }

  void need(const std::vector<std::string>& names) const {
    for (const auto& name : names) {
      if (std::find(header_.begin(), header_.end(), name) != header_.end()) continue;
      throw Error(ErrorKind::data, file_, fmt::format("there is no column {}", lab::data::in_quotes(name)),
                  "Give the folder of a `moblo clean`");
    }
  }
  bool next() {
    while (records_.next(cells_)) {
      if (cells_.size() == header_.size() && records_.fault().empty()) return true;
      if (cells_.size() == 1 && lab::data::trimmed(cells_[0]).empty()) continue;
      throw Error(ErrorKind::data, file_,
                  fmt::format("row {}: {} cells, the header has {}", records_.row(), cells_.size(), header_.size()),
                  "Repair this row, or remove the file");
    }
    return false;
  }
  std::string cell(const std::string& name) const {
    const auto at = std::find(header_.begin(), header_.end(), name) - header_.begin();
    return at < static_cast<std::ptrdiff_t>(cells_.size()) ? std::string(cells_[static_cast<std::size_t>(at)]) : "";
  }

 private:
  lab::data::TextFile content_;
  lab::data::CsvText records_;
  std::string file_;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
};

/// By its first bytes; empty for what is no picture.
std::string media_type(const lab::data::Bytes& content) {
  const auto begins = [&](std::initializer_list<std::uint8_t> magic) {
    return content.size() >= magic.size() && std::equal(magic.begin(), magic.end(), content.begin());
  };
  if (begins({0x89, 'P', 'N', 'G'})) return "image/png";
  if (begins({0xFF, 0xD8, 0xFF})) return "image/jpeg";
  return begins({'B', 'M'}) ? "image/bmp" : "";
}

/// review.json is written by the same `moblo clean` as the list.
[[noreturn]] void refuse_missing(const fs::path& file) {
  throw Error(ErrorKind::data, file.string(), "is missing", "Give the folder of a finished `moblo clean`");
}

}  // namespace

ReviewSession::ReviewSession(const fs::path& folder) : folder_(folder) {
  std::error_code ignored;
  const auto chosen = folder / "review.csv", flagged = folder / "flagged.csv", shown = folder / "review.json";
  const auto list = fs::exists(chosen, ignored) ? chosen : flagged;
  for (const auto& file : {list, shown}) {
    if (!fs::exists(file, ignored)) refuse_missing(file);
  }
  read_list(list);
  records::read_document(shown, [this](const Json& document) { read_shown(document); });
  read_verdicts();
}

void ReviewSession::read_list(const fs::path& file) {
  NamedRows rows(file);
  rows.need({"dataset", "id", "given_label", "predicted_label"});
  while (rows.next()) {
    samples_.push_back({{rows.cell("dataset"), rows.cell("id")},
                        rows.cell("given_label"),
                        rows.cell("predicted_label"),
                        rows.cell("wrong_probability"),
                        rows.cell("reason"),
                        Json::object()});
  }
  if (samples_.empty()) {
    throw Error(ErrorKind::data, file.string(), "lists no sample, so that there is nothing to look at",
                "`moblo clean ... --review 200` lists those whose checking would teach most");
  }
}

void ReviewSession::read_shown(const Json& document) {
  command_ = document.value("command", "");
  for (const auto& dataset : document.at("datasets")) {
    auto& known = datasets_[dataset.at("name").get<std::string>()];
    known = {dataset.at("classes").get<std::vector<std::string>>(),
             dataset.at("columns").get<std::vector<std::string>>()};
    const auto& shown = dataset.at("samples");
    for (auto& sample : samples_) {
      if (sample.key.first != dataset.at("name")) continue;
      if (const auto found = shown.find(sample.key.second); found != shown.end()) sample.shown = *found;
    }
  }
  for (const auto& sample : samples_) {
    if (!datasets_.contains(sample.key.first)) {
      throw Error(ErrorKind::data, (folder_ / "review.json").string(),
                  fmt::format("does not know the dataset {}", lab::data::in_quotes(sample.key.first)),
                  "The files of this folder are of different runs of `moblo clean`: do it again");
    }
  }
}

fs::path ReviewSession::verdicts_file() const {
  return folder_ / "verdicts.csv";
}

std::string ReviewSession::command() const {
  const auto file = shell_quoted(verdicts_file().string());
  return fmt::format("{} --checked {}", command_.empty() ? "moblo clean ..." : command_, file);
}

void ReviewSession::read_verdicts() {
  std::error_code ignored;
  if (!fs::exists(verdicts_file(), ignored)) return;
  NamedRows rows(verdicts_file());
  rows.need({"dataset", "id", "checked_label"});
  while (rows.next()) {
    verdicts_[{rows.cell("dataset"), rows.cell("id")}] = {rows.cell("checked_label"), rows.cell("reason")};
  }
}

void ReviewSession::write_verdicts() const {
  std::string text = "dataset,id,checked_label,reason\n";
  for (const auto& [key, verdict] : verdicts_) {
    text += fmt::format("{},{},{},{}\n", base::csv_field(key.first), base::csv_field(key.second),
                        base::csv_field(verdict.label), base::csv_field(verdict.reason));
  }
  records::write_text_atomically(verdicts_file(), text);
}

std::size_t ReviewSession::judged() const {
  const std::scoped_lock lock(lock_);
  return static_cast<std::size_t>(std::count_if(samples_.begin(), samples_.end(),
                                                [&](const auto& sample) { return verdicts_.contains(sample.key); }));
}

Json ReviewSession::description() const {
  const std::scoped_lock lock(lock_);
  Json samples = Json::array(), datasets = Json::object();
  for (const auto& [name, dataset] : datasets_) {
    datasets[name] = {{"classes", dataset.classes}, {"columns", dataset.columns}};
  }
  for (const auto& sample : samples_) {
    const auto verdict = verdicts_.find(sample.key);
    samples.push_back({{"dataset", sample.key.first},
                       {"id", sample.key.second},
                       {"given", sample.given},
                       {"predicted", sample.predicted},
                       {"probability", sample.probability},
                       {"picture", sample.shown.contains("picture")},
                       {"values", sample.shown.value("values", Json::array())},
                       {"verdict", verdict == verdicts_.end() ? Json(nullptr) : Json(verdict->second.label)}});
  }
  return {{"samples", samples}, {"datasets", datasets}, {"command", command()}};
}

std::optional<std::string> ReviewSession::picture(std::size_t sample) const {
  if (sample >= samples_.size() || !samples_[sample].shown.contains("picture")) return {};
  const auto place = samples_[sample].shown.at("picture").get<std::string>();
  if (place.starts_with("data:image/png;base64,")) return place;
  try {
    const auto content = lab::data::read_file_bytes(place, largest_picture);
    const auto type = media_type(content);
    if (type.empty() || content.size() > largest_picture) return {};
    return fmt::format("data:{};base64,{}", type,
                       lab::report::base64({reinterpret_cast<const char*>(content.data()), content.size()}));
  } catch (const Error&) {
    return {};  // it has gone since
  }
}

bool ReviewSession::judge(std::size_t sample, const std::optional<std::string>& label) {
  if (sample >= samples_.size()) return false;
  const auto& asked = samples_[sample];
  const auto& classes = datasets_.at(asked.key.first).classes;
  if (label && std::find(classes.begin(), classes.end(), *label) == classes.end()) return false;
  const std::scoped_lock lock(lock_);
  const auto before = verdicts_;
  if (label) {
    verdicts_[asked.key] = {*label, asked.reason};
  } else {
    verdicts_.erase(asked.key);
  }
  try {
    write_verdicts();
  } catch (...) {
    verdicts_ = before;  // what the page is told is what the file holds
    throw;
  }
  return true;
}

}  // namespace moblo::cli
