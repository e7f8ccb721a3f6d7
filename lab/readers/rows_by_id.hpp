#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/data/noisy_source.hpp"

namespace moblo::lab::readers {

/// The cells of some samples of a table as they stand in its file, for people to look at.
struct ShownRows {
  std::vector<std::string> columns;
  std::map<std::string, std::vector<std::string>> cells;  ///< by id
};

/// Those of the CSV of `source` whose ids are wanted; nothing where it is no CSV, or cannot be read any more.
ShownRows rows_by_id(const data::NoisySource& source, const std::set<std::string>& wanted);

/// For each id the text in source.group_column, empty for ids that the file does not have. Error(data) without such a
/// column.
std::vector<std::string> groups_by_id(const data::NoisySource& source, const std::vector<std::string>& ids);

}  // namespace moblo::lab::readers
