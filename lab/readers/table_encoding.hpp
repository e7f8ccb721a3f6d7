#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/readers/table.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// What the user says of columns; what is not said is found out.
struct ColumnChoices {
  std::vector<std::string> left_out{};    ///< no inputs
  std::vector<std::string> numbers{};     ///< numbers: any other text in them is refused
  std::vector<std::string> amounts{};     ///< numbers of at least 0, spread over orders of magnitude: log(1 + x)
  std::vector<std::string> categories{};  ///< categories, though they may look like numbers (codes)
};

enum class ColumnKind { number, amount, category };

constexpr auto enum_names(ColumnKind) {
  return std::array{std::pair{"number", ColumnKind::number}, std::pair{"amount", ColumnKind::amount},
                    std::pair{"category", ColumnKind::category}};
}

/// How one column becomes inputs.
struct ColumnCode {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  double mean = 0, deviation = 0;       ///< of numbers that are there, over the training rows; deviation 0: no input
  std::vector<std::string> categories;  ///< of the training rows, in the order of their bytes
  bool missing = false;                 ///< an input that says whether the value is missing
};

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
/// Columns that are the same in all training rows are dropped, and one without a name is an index. Numbers come first,
/// then categories, each in the order of the header.
class TableEncoding {
 public:
  /// `training`: which rows of the table, from 0. Throws Error(data), e.g. where nothing is left.
  static TableEncoding fit(const Table& table, const std::vector<std::int64_t>& training, const ColumnChoices& choices);
  /// What to_json() gave. Throws Error(data).
  static TableEncoding from_json(const Json& document, const std::string& what);
  Json to_json() const;

  /// All rows of a table that has these columns, rows x features. Throws Error(data), by row.
  std::vector<float> encode(const Table& table) const;

  const std::vector<std::string>& features() const { return features_; }  ///< "age", "job = clerk", "job missing"
  const std::vector<std::string>& dropped() const { return dropped_; }    ///< columns that say nothing
  const std::vector<ColumnCode>& columns() const { return columns_; }

 private:
  void name_features();

  std::vector<ColumnCode> columns_;
  std::vector<std::string> features_, dropped_;
};

}  // namespace moblo::lab::readers
