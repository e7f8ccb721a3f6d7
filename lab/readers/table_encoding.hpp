#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/readers/column_codes.hpp"
#include "lab/readers/column_kinds.hpp"
#include "lab/readers/table.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// Turns rows into inputs, always in the same way: found from training rows, kept with the model.
///
/// A column is one of numbers where every text of the training rows that is not missing is a finite number, and one of
/// categories otherwise, unless `ColumnChoices` says which.
///
///   number     (x - mean) / deviation; a missing one is 0, the mean
///   category   one input each, 1 where the row has it; a missing value is a category of its own; one that no training
///              row has is 0 in all of them
///   missing    one more input of a number column, 1 where the value is missing, if any training row lacks it
///
/// With `ColumnChoices::recognise`, of a table that was read with TableReading::numbers:
///
///   number     as it is; a missing one is the mean
///   category   one input each for at most 64 that are frequent, one for all others
///   boolean    0 or 1, and 0.5 where it is missing
///   date       days since 1970, year, month, cosine and sine of the season, weekday, and the hour where it is told
///   text       128 inputs: words by hash, rare words count more, length 1
///
/// Columns that are the same in all training rows are dropped, and one without a name is an index. Numbers come first,
/// then the others, each in the order of the header.
class TableEncoding {
 public:
  /// `training`: which rows of the table, from 0. Throws Error(data), e.g. where nothing is left.
  static TableEncoding fit(const Table& table, const std::vector<std::int64_t>& training, const ColumnChoices& choices);
  /// What to_json() gave. Throws Error(data).
  static TableEncoding from_json(const Json& document, const std::string& what);
  Json to_json() const;

  /// How to read a further table for encode(), with `texts` beside.
  TableReading reading(const std::vector<std::string>& header, const std::vector<std::string>& texts) const;

  /// All rows of a table that has these columns, rows x features. Throws Error(data), by row; where `remarks` is given,
  /// cells that do not fit are missing, and counted there by column.
  std::vector<float> encode(const Table& table, std::vector<std::string>* remarks = nullptr) const;

  const std::vector<std::string>& features() const { return features_; }  ///< "age", "job = clerk", "job missing"
  const std::vector<std::string>& dropped() const { return dropped_; }    ///< columns that say nothing
  const std::vector<ColumnCode>& columns() const { return columns_; }
  const std::vector<ColumnSummary>& summary() const { return summary_; }  ///< of fit() with `recognise`

 private:
  void name_features();

  std::vector<ColumnCode> columns_;
  std::vector<std::string> features_, dropped_;
  std::vector<ColumnSummary> summary_;
};

}  // namespace moblo::lab::readers
