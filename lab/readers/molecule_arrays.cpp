#include <fmt/format.h>

#include <cmath>

#include "lab/data/digest.hpp"
#include "lab/data/npy.hpp"
#include "lab/readers/molecule.hpp"
#include "lab/readers/npz.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& rule) {
  throw Error(ErrorKind::data, file.string(), rule,
              "Save num_atoms [n], charges [n, a], positions [n, a, 3] and one array a property with numpy.savez");
}

class ArrayReader {
 public:
  explicit ArrayReader(const fs::path& file) : file_(file), npz_(file) {}

  /// The values of the first candidate that is there, which must have this shape (-1 = any size).
  std::vector<float> read(const std::vector<std::string>& candidates, std::vector<std::int64_t>& shape) {
    const std::string name = npz_.find(candidates);
    if (name.empty()) refuse(file_, fmt::format("there is no array {}", data::in_quotes(candidates[0])));
    const data::NpyArray array = npz_.read(name);
    bool fits = array.shape.size() == shape.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == array.shape[i];
    if (!fits)
      refuse(file_, fmt::format("array {} has another number of molecules, or another shape", data::in_quotes(name)));
    shape = array.shape;
    data::Problems problems(file_.string());
    auto values = data::npy_floats(array, problems);
    problems.refuse_if_any("Save finite numbers");
    return values;
  }

 private:
  fs::path file_;
  NpzFile npz_;
};

}  // namespace

RawMolecules read_molecule_arrays(const fs::path& file) {
  ArrayReader reader(file);
  std::vector<std::int64_t> counts{-1};
  const auto num_atoms = reader.read({"num_atoms"}, counts);
  const std::int64_t count = counts[0];
  std::vector<std::int64_t> table{count, -1};
  const auto charges = reader.read({"charges"}, table);
  const std::int64_t width = table[1];
  std::vector<std::int64_t> cube{count, width, 3};
  const auto positions = reader.read({"positions"}, cube);
  std::vector<std::vector<float>> values;
  for (const auto& property : molecule_properties()) {
    std::vector<std::int64_t> column{count};
    values.push_back(reader.read({property.name, property.name == "cv" ? "Cv" : property.name}, column));
  }

  RawMolecules raw{{}, "npz", data::sha256_of_file(file)};
  data::Problems problems(file.string());
  for (std::int64_t n = 0; n < count; ++n) {
    RawMolecule molecule;
    molecule.name = fmt::format("molecule {}", n);
    const auto row = static_cast<std::size_t>(n);
    const float atoms = num_atoms[row];
    if (atoms < 1 || atoms > static_cast<float>(width) || atoms != std::floor(atoms)) {
      problems.add(fmt::format("{}: {} atoms where 1 to {} have room", molecule.name, atoms, width));
      continue;
    }
    for (std::size_t a = 0; a < static_cast<std::size_t>(atoms); ++a) {
      const std::size_t at = row * static_cast<std::size_t>(width) + a;
      const bool a_byte = charges[at] >= 0 && charges[at] < 256;
      molecule.charges.push_back(a_byte ? static_cast<std::uint8_t>(charges[at]) : std::uint8_t{0});
      molecule.positions.push_back({positions[3 * at], positions[3 * at + 1], positions[3 * at + 2]});
    }
    for (std::size_t p = 0; p < values.size(); ++p) molecule.values[p] = values[p][row];
    check_atoms(molecule, problems);
    raw.molecules.push_back(std::move(molecule));
  }
  problems.refuse_if_any("Fix these molecules or take them out");
  return raw;
}

}  // namespace moblo::lab::readers
