#pragma once

#include <optional>
#include <string>

#include "lab/readers/column_codes.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// One line of what becomes of a table.
struct ColumnSummary {
  std::string name, kind;    ///< a kind of column, or what it is left out for
  std::int64_t missing = 0;  ///< rows without a value
  std::string example;       ///< the first text that is there
  std::string becomes;       ///< "1 input", "7 inputs and one for missing", "left out: ..."
  std::string remark;        ///< what a user should know of its cells, if anything
};

Json summary_json(const std::vector<ColumnSummary>& columns);
/// The same as text: a line for each column, or for each kind where there are more than `most`.
std::vector<std::string> summary_lines(const Json& columns, std::size_t most);

/// How a column of a table that was read with TableReading::numbers becomes inputs, or nothing where it is left out;
/// `summary` says why.
std::optional<ColumnCode> recognise(const Table& table, const TableColumn& column, const RowNumbers& training,
                                    const ColumnChoices& choices, ColumnSummary& summary);

}  // namespace moblo::lab::readers
