#include "fuzz/target.hpp"

#include <cmath>

#include "lab/readers/calendar.hpp"
#include "lab/readers/csv_samples.hpp"
#include "lab/readers/table_encoding.hpp"

// A table of any kind, its columns told apart, and after next_file new rows that are encoded alike. The first byte says
// what the user says of the first column.
MOBLO_FUZZ_TARGET(raw_table) {
  using namespace moblo;
  static fuzz::ScratchFile table("raw.csv"), more("rows.csv");
  fuzz::Taker taker(input);
  const int kind = taker.up_to(7);
  lab::data::NoisySource source;
  source.name = "fuzz";
  source.data = table.write(taker.until(fuzz::next_file));
  const auto rows = taker.empty() ? source.data : more.write(taker.rest());
  const std::vector<std::string> kinds{"number", "amount", "category", "boolean", "date", "text", "ignore"};
  if (kind > 0) source.column_kinds = {{"a", kinds[static_cast<std::size_t>(kind - 1)]}};
  fuzz::accepts([&] {
    lab::readers::ReadingNotes notes;
    const auto samples = lab::readers::read_csv_samples(source.data, source, notes);
    const auto encoding = lab::readers::TableEncoding::from_json(samples.encoding->to_json(), "fuzz");
    fuzz::must(encoding.features() == samples.encoding->features(), "an encoding can be kept");
    const auto again = lab::readers::read_csv_samples(source.data, source, notes, &encoding);
    fuzz::must(again.inputs == samples.inputs, "the same rows are encoded alike");
    const auto others = lab::readers::read_csv_rows(rows, {}, notes, encoding);
    fuzz::must(others.inputs.size() == others.size() * encoding.features().size(), "rows have their inputs");
    for (const float value : others.inputs) fuzz::must(std::isfinite(value), "inputs are finite");
  });
  for (const auto order : {lab::readers::DateOrder::day_first, lab::readers::DateOrder::month_first}) {
    lab::readers::Moment moment;
    if (!lab::readers::parse_moment(fuzz::text_of(input), order, moment)) continue;
    fuzz::must(moment.weekday() < 7 && moment.season() >= 0 && moment.season() < 1, "a moment is in a year");
  }
}
