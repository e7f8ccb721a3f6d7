#include "lab/readers/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lab/data/csv.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

struct VerdictColumns {
  std::size_t id, label;
  std::optional<std::size_t> dataset, reason;
};

std::optional<std::size_t> place_in(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

VerdictColumns verdict_columns(const std::vector<std::string>& header, const std::string& file) {
  const auto id = place_in(header, "id"), label = place_in(header, "checked_label");
  if (!id || !label) {
    throw Error(
        ErrorKind::data, file,
        fmt::format("there is no column '{}'; the header has {}", id ? "checked_label" : "id", data::some_of(header)),
        "Give the columns id and checked_label");
  }
  return {*id, *label, place_in(header, "dataset"), place_in(header, "reason")};
}

}  // namespace

void apply_verdicts(Samples& samples, const std::filesystem::path& file, const std::string& dataset,
                    ReadingNotes& notes) {
  const data::TextFile content(file);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  const auto header = data::read_header(records, file.string());
  const auto columns = verdict_columns(header, file.string());
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < samples.size(); ++i) index.emplace(samples.ids[i], i);
  data::Problems problems(file.string());
  std::vector<std::string_view> cells;
  std::int64_t checked = 0;
  while (records.next(cells)) {
    if (!records.fault().empty() || cells.size() != header.size()) {
      if (cells.size() > 1)
        problems.add(fmt::format("row {}: {} cells, the header has {}", records.row(), cells.size(), header.size()));
      continue;
    }
    const auto label = data::trimmed(cells[columns.label]);
    if (label.empty() || (columns.dataset && data::trimmed(cells[*columns.dataset]) != dataset)) continue;
    const auto found = index.find(std::string(data::trimmed(cells[columns.id])));
    if (found == index.end()) {
      problems.add(fmt::format("row {}: {} is not an id of {}", records.row(),
                               data::in_quotes(data::trimmed(cells[columns.id])), samples.file));
      continue;
    }
    set_checked_label(samples, found->second, std::string(label));
    samples.picked.resize(samples.size());
    samples.picked[found->second] = columns.reason && data::trimmed(cells[*columns.reason]) != "random";
    ++checked;
  }
  problems.refuse_if_any("Each row names a sample of the data by its id");
  notes.push_back(fmt::format("{} labels were checked according to {}", checked, file.string()));
}

}  // namespace moblo::lab::readers
