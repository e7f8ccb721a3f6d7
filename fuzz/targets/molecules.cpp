#include "lab/readers/molecules.hpp"

#include <cmath>

#include "fuzz/target.hpp"

// 's': an SD file and its table; otherwise one molecule as QM9 was published.
MOBLO_FUZZ_TARGET(molecules) {
  using namespace moblo;
  static fuzz::ScratchFile xyz("one.xyz"), sdf("all.sdf"), csv("all.sdf.csv");
  fuzz::Taker taker(input);
  const bool structures = taker.take<char>() == 's';
  (structures ? sdf : xyz).write(taker.until(fuzz::next_file));
  if (structures) csv.write(taker.rest());
  fuzz::accepts([&] {
    std::vector<std::string> notes;
    const auto all = lab::readers::read_molecules(structures ? sdf.path() : xyz.path(), notes);
    const auto atoms = static_cast<std::size_t>(all.count * all.most_atoms);
    fuzz::must(all.charges.size() == atoms && all.positions.size() == 3 * atoms, "atoms have element and place");
    fuzz::must(all.bonds.size() == atoms * static_cast<std::size_t>(all.most_atoms), "bonds are a square");
    for (const float value : all.positions) fuzz::must(std::isfinite(value), "places are finite");
    for (const float value : all.targets) fuzz::must(std::isfinite(value), "properties are finite");
  });
}
