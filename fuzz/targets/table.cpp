#include "fuzz/dataset.hpp"

// A table of samples, and after next_file a list of trusted ids, or a further table.
MOBLO_FUZZ_TARGET(table) {
  using namespace moblo;
  static fuzz::ScratchFile table("table.csv"), ids("trusted.txt"), more("trusted.csv");
  fuzz::Taker taker(input);
  const char kind = taker.take<char>();
  lab::data::NoisySource source;
  source.name = "fuzz";
  source.format = "csv";
  source.data = table.write(taker.until(fuzz::next_file));
  if (kind == 'l') source.label_column = "x";
  if (kind == 'g') source.ignored_columns = {"a"};
  if (!taker.empty()) source.trusted = (kind == 'i' ? ids : more).write(taker.rest());
  fuzz::read_dataset(source);
}
