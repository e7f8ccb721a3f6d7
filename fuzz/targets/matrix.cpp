#include "lab/data/matrix.hpp"

#include <cmath>

#include "fuzz/target.hpp"

// The files of `moblo aggregate`: the first byte says whether it is JSON, an array or a table.
MOBLO_FUZZ_TARGET(matrix) {
  using namespace moblo;
  static fuzz::ScratchFile table("matrix.csv"), array("matrix.npy"), lists("matrix.json");
  fuzz::Taker taker(input);
  const char kind = taker.take<char>();
  fuzz::ScratchFile& file = kind == 'j' ? lists : kind == 'n' ? array : table;
  file.write(taker.rest());
  fuzz::accepts([&] {
    const auto matrix = lab::data::read_matrix(file.path());
    fuzz::must(static_cast<std::int64_t>(matrix.values.size()) == matrix.rows * matrix.columns,
               "rows are equally long");
    for (const double value : matrix.values) fuzz::must(std::isfinite(value), "numbers are finite");
  });
}
