#include "lab/readers/rows_by_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lab/data/csv_file.hpp"
#include "lab/data/problems.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

using Cells = std::vector<std::string_view>;

/// The id and the cells of every whole row.
class IdentifiedRows {
 public:
  explicit IdentifiedRows(const data::NoisySource& source)
      : records_(source.data), header_(data::header_of(source.data)) {
    for (const auto& name : {source.id_column, std::string("id"), std::string("path")}) {
      if (!id_ && !name.empty()) id_ = column(name);
    }
    if (!id_ && header_[0].empty()) id_ = 0;
  }

  const std::vector<std::string>& header() const { return header_; }
  std::optional<std::size_t> column(const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) return {};
    return static_cast<std::size_t>(found - header_.begin());
  }
  void each(const std::function<void(const std::string& id, const Cells& cells)>& use) {
    Cells cells;
    records_.next(cells);  // the header
    while (records_.next(cells)) {
      if (cells.size() != header_.size()) continue;
      use(id_ ? std::string(data::trimmed(cells[*id_])) : std::to_string(records_.row()), cells);
    }
  }

 private:
  data::CsvFile records_;
  std::vector<std::string> header_;
  std::optional<std::size_t> id_;
};

}  // namespace

ShownRows rows_by_id(const data::NoisySource& source, const std::set<std::string>& wanted) {
  ShownRows shown;
  try {
    IdentifiedRows rows(source);
    shown.columns = rows.header();
    rows.each([&](const std::string& id, const Cells& cells) {
      if (wanted.contains(id)) shown.cells.emplace(id, std::vector<std::string>(cells.begin(), cells.end()));
    });
  } catch (const Error&) {
    return {};  // an archive of arrays, or a folder
  }
  return shown;
}

std::vector<std::string> groups_by_id(const data::NoisySource& source, const std::vector<std::string>& ids) {
  IdentifiedRows rows(source);
  const auto column = rows.column(source.group_column);
  if (!column) {
    throw Error(ErrorKind::data, source.data.string(),
                fmt::format("there is no column {}; the header has {}", data::in_quotes(source.group_column),
                            data::some_of(rows.header())),
                "Name the column: --group-column COLUMN");
  }
  std::unordered_map<std::string, std::string> group;
  rows.each([&](const std::string& id, const Cells& cells) { group.emplace(id, data::trimmed(cells[*column])); });
  std::vector<std::string> groups;
  for (const auto& id : ids) groups.push_back(group.contains(id) ? group.at(id) : "");
  return groups;
}

}  // namespace moblo::lab::readers
