#include "lab/readers/adult.hpp"

#include <cmath>

#include "fuzz/target.hpp"

// The Adult table.
MOBLO_FUZZ_TARGET(adult) {
  using namespace moblo;
  static fuzz::ScratchFile table("adult/adult.csv");
  table.write(input);
  fuzz::accepts([&] {
    const auto people = lab::readers::read_adult(table.path().parent_path(), "sex");
    fuzz::must(people.inputs.size() == people.features.size() * people.income.size(), "people have their features");
    for (const float value : people.inputs) fuzz::must(std::isfinite(value), "features are finite");
  });
}
