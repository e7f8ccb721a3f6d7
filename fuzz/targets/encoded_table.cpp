#include "lab/readers/table_encoding.hpp"

#include <cmath>

#include "fuzz/target.hpp"

// A table of numbers and categories, as a model reads it, and after next_file new rows that are encoded alike.
MOBLO_FUZZ_TARGET(encoded_table) {
  using namespace moblo;
  static fuzz::ScratchFile table("table.csv"), more("more.csv");
  fuzz::Taker taker(input);
  const char kind = taker.take<char>();
  const auto first = table.write(taker.until(fuzz::next_file));
  const auto second = taker.empty() ? first : more.write(taker.rest());
  fuzz::accepts([&] {
    const auto rows = lab::readers::read_table(first);
    std::vector<std::int64_t> training;
    for (std::size_t row = 0; row < rows.size(); row += kind == 'h' ? 2 : 1) {
      training.push_back(static_cast<std::int64_t>(row));
    }
    lab::readers::ColumnChoices choices;
    if (kind == 'a') choices.amounts = {rows.columns[0].name};
    if (kind == 'c') choices.categories = {rows.columns[0].name};
    const auto encoding = lab::readers::TableEncoding::fit(rows, training, choices);
    const auto again = lab::readers::TableEncoding::from_json(encoding.to_json(), "fuzz");
    fuzz::must(again.features() == encoding.features(), "an encoding can be kept");
    const auto others = lab::readers::read_table(second);
    const auto inputs = encoding.encode(others);
    fuzz::must(inputs.size() == encoding.features().size() * others.size(), "rows have their features");
    for (const float value : inputs) fuzz::must(std::isfinite(value), "features are finite");
    fuzz::must(again.encode(others) == inputs, "a kept encoding encodes alike");
  });
}
