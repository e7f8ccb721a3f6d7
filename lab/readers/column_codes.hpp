#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/readers/calendar.hpp"
#include "lab/readers/table.hpp"

namespace moblo::lab::readers {

/// What the user says of columns; what is not said is found out.
struct ColumnChoices {
  std::vector<std::string> left_out{};    ///< no inputs
  std::vector<std::string> numbers{};     ///< numbers: any other text in them is refused
  std::vector<std::string> amounts{};     ///< numbers of at least 0, spread over orders of magnitude: log(1 + x)
  std::vector<std::string> categories{};  ///< categories, though they may look like numbers (codes)
  std::vector<std::string> booleans{}, dates{}, texts{};  ///< only with `recognise`
  /// For tables of any kind: booleans, dates, free text and ids are told apart as well, numbers stay as they are, rare
  /// categories share one input, and a cell that does not fit its column is missing, with a note.
  bool recognise = false;
};

enum class ColumnKind { number, amount, category, boolean, date, text };

constexpr auto enum_names(ColumnKind) {
  return std::array{std::pair{"number", ColumnKind::number},     std::pair{"amount", ColumnKind::amount},
                    std::pair{"category", ColumnKind::category}, std::pair{"boolean", ColumnKind::boolean},
                    std::pair{"date", ColumnKind::date},         std::pair{"text", ColumnKind::text}};
}

/// How one column becomes inputs.
struct ColumnCode {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  double mean = 0, deviation = 0;       ///< of numbers: (x - mean) / deviation; deviation 0: no input
  double fill = 0;                      ///< the input of a missing number, or moment
  std::vector<std::string> categories;  ///< of the training rows, in the order of their bytes; of a boolean no and yes
  bool rare = false;                    ///< one more input, for all other categories
  bool missing = false;                 ///< an input that says whether the value is missing
  DateOrder order = DateOrder::month_first;
  bool hour = false;           ///< of dates: an input for the hour
  std::vector<double> rarity;  ///< of free text, by word place

  bool of_numbers() const { return kind == ColumnKind::number || kind == ColumnKind::amount; }
};

/// Inputs that one column makes, and their names: "age", "job = clerk", "job missing".
std::size_t width_of(const ColumnCode& code);
std::vector<std::string> features_of(const ColumnCode& code);
/// Whether all training rows have the same inputs.
bool says_nothing(const ColumnCode& code);

using RowNumbers = std::vector<std::int64_t>;

/// From the training rows. Throws Error(data).
ColumnCode fit_numbers(const Table& table, const TableColumn& column, ColumnKind kind, const RowNumbers& training,
                       bool as_they_are);
ColumnCode fit_categories(const Table& table, const TableColumn& column, const RowNumbers& training);
ColumnCode fit_frequent_categories(const TableColumn& column, const RowNumbers& training);
ColumnCode fit_booleans(const TableColumn& column, const RowNumbers& training);
ColumnCode fit_dates(const TableColumn& column, const RowNumbers& training);
ColumnCode fit_words(const TableColumn& column, const RowNumbers& training);

/// Whether every text of the training rows that is not missing is a number.
bool all_numbers(const TableColumn& column, const RowNumbers& training);
/// How often each text occurs in these rows.
std::vector<std::size_t> uses_of(const TableColumn& column, const RowNumbers& rows);
/// The lower-case word of a boolean with its opposite, no first; nothing for other texts.
const std::pair<std::string_view, std::string_view>* boolean_words(std::string_view text);

/// Writes the inputs of all rows, `stride` apart. Cells that do not fit are an Error(data), or where `strays` is given,
/// missing and counted there.
void encode_column(const Table& table, const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                   std::int64_t* strays);

}  // namespace moblo::lab::readers
