#include "lab/readers/molecules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/data/split.hpp"
#include "lab/readers/molecule_chemistry.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

constexpr double mev_a_hartree = 27211.386245988;
constexpr std::size_t most_atoms = 200;
constexpr std::int64_t most_pairs = std::int64_t{1} << 30;  ///< ten times those of QM9

/// Energies of single atoms in Hartree, as published with QM9 (B3LYP/6-31G(2df,p)): U0, U, H, G.
struct AtomEnergies {
  std::uint8_t z;
  std::array<double, 4> hartree;
};
constexpr std::array<AtomEnergies, 5> atom_energies{{{1, {-0.500273, -0.498857, -0.497912, -0.510927}},
                                                     {6, {-37.846772, -37.845355, -37.844411, -37.861317}},
                                                     {7, {-54.583861, -54.582445, -54.581501, -54.598897}},
                                                     {8, {-75.064579, -75.063163, -75.062219, -75.079532}},
                                                     {9, {-99.718730, -99.717314, -99.716370, -99.733544}}}};
constexpr std::size_t first_relative = 6;  ///< of the properties: U0, U, H, G

double energy_of_atoms(const std::vector<std::uint8_t>& charges, std::size_t which) {
  double sum = 0;
  for (const auto z : charges) {
    for (const auto& row : atom_energies) sum += row.z == z ? row.hartree[which] : 0;
  }
  return sum;
}

double in_its_unit(const RawMolecule& molecule, std::size_t property) {
  double value = molecule.values[property];
  if (property >= first_relative && property < first_relative + 4) {
    value -= energy_of_atoms(molecule.charges, property - first_relative);
  }
  return molecule_properties()[property].unit == "meV" ? value * mev_a_hartree : value;
}

fs::path only_file(const fs::path& folder, const std::string& ending) {
  fs::path found;
  for (const auto& entry : data::entries_of(folder)) {
    if (!entry.filename().string().ends_with(ending)) continue;
    if (!found.empty()) {
      throw Error(ErrorKind::data, folder.string(), fmt::format("holds more than one file {}", ending),
                  "Name the file itself");
    }
    found = entry;
  }
  return found;
}

RawMolecules read_raw(const fs::path& place) {
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) {
    data::refuse_unless_file(place);
    if (place.extension() == ".npz") return read_molecule_arrays(place);
    if (place.extension() == ".sdf") return read_molecule_sdf(place);
    if (place.extension() == ".xyz") return read_molecule_xyz(place);
    throw Error(ErrorKind::data, place.string(), "is none of .npz, .sdf and .xyz", "Check the name");
  }
  if (const auto npz = only_file(place, ".npz"); !npz.empty()) return read_molecule_arrays(npz);
  if (const auto sdf = only_file(place, ".sdf"); !sdf.empty()) return read_molecule_sdf(sdf);
  return read_molecule_xyz(fs::is_directory(place / "xyz", ignored) ? place / "xyz" : place);
}

struct Shares {
  std::int64_t connected = 0, usual = 0;
};

/// Derives what is missing, and writes one molecule to its place.
void fill(RawMolecule& raw, std::size_t n, Molecules& all, Shares& shares) {
  if (raw.bonds.atoms() == 0) raw.bonds = derive_bonds(raw.charges, raw.positions);
  shares.connected += is_connected(raw.bonds);
  shares.usual += valences_are_usual(raw.charges, raw.bonds);
  mark_aromatic(raw.charges, raw.bonds);
  const auto width = static_cast<std::size_t>(all.most_atoms);
  for (std::size_t i = 0; i < raw.charges.size(); ++i) {
    const std::size_t at = n * width + i;
    all.charges[at] = raw.charges[i];
    std::copy(raw.positions[i].begin(), raw.positions[i].end(),
              all.positions.begin() + static_cast<std::ptrdiff_t>(3 * at));
    for (std::size_t j = 0; j < raw.charges.size(); ++j) all.bonds[at * width + j] = raw.bonds.at(i, j);
    const auto features = atom_features(raw.charges, raw.bonds, i);
    std::copy(features.begin(), features.end(),
              all.node_features.begin() + static_cast<std::ptrdiff_t>(at * features.size()));
  }
  all.num_atoms.push_back(static_cast<std::int32_t>(raw.charges.size()));
  all.names.push_back(raw.name);
  for (std::size_t p = 0; p < Molecules::properties; ++p) {
    const double value = in_its_unit(raw, p);
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      throw Error(ErrorKind::data, raw.name,
                  fmt::format("{} of {} is beyond the range of single precision", molecule_properties()[p].name, value),
                  "Fix the molecule or take it out");
    }
    all.targets.push_back(static_cast<float>(value));
  }
}

template <class T>
std::vector<T> rows_of(const std::vector<T>& all, std::int64_t count, const std::vector<std::int64_t>& which) {
  const auto row = static_cast<std::ptrdiff_t>(all.size()) / static_cast<std::ptrdiff_t>(count);
  std::vector<T> chosen;
  chosen.reserve(which.size() * static_cast<std::size_t>(row));
  for (const auto i : which) chosen.insert(chosen.end(), all.begin() + i * row, all.begin() + (i + 1) * row);
  return chosen;
}

}  // namespace

const std::array<MoleculeProperty, Molecules::properties>& molecule_properties() {
  static const std::array<MoleculeProperty, Molecules::properties> all{{{"mu", "D"},
                                                                        {"alpha", "Bohr^3"},
                                                                        {"homo", "meV"},
                                                                        {"lumo", "meV"},
                                                                        {"r2", "Bohr^2"},
                                                                        {"zpve", "meV"},
                                                                        {"U0", "meV"},
                                                                        {"U", "meV"},
                                                                        {"H", "meV"},
                                                                        {"G", "meV"},
                                                                        {"cv", "cal/(mol K)"}}};
  return all;
}

std::uint8_t atomic_number(std::string_view symbol) {
  constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> known{
      {{"H", 1}, {"C", 6}, {"N", 7}, {"O", 8}, {"F", 9}}};
  for (const auto& [name, z] : known) {
    if (name == symbol) return z;
  }
  return 0;
}

void check_atoms(const RawMolecule& molecule, data::Problems& problems) {
  if (molecule.charges.empty() || molecule.charges.size() > most_atoms) {
    return problems.add(
        fmt::format("{}: {} atoms; 1 to {} are read", molecule.name, molecule.charges.size(), most_atoms));
  }
  for (std::size_t i = 0; i < molecule.charges.size(); ++i) {
    const auto z = molecule.charges[i];
    if (z != 1 && (z < 6 || z > 9)) {
      return problems.add(fmt::format("{}: atom {} is none of H, C, N, O, F (atomic number {})", molecule.name, i, z));
    }
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        square += std::pow(static_cast<double>(molecule.positions[i][k]) - molecule.positions[j][k], 2);
      }
      if (square < 0.3 * 0.3) {
        return problems.add(
            fmt::format("{}: atoms {} and {} are {:.2f} Angstrom apart", molecule.name, j, i, std::sqrt(square)));
      }
    }
  }
}

Molecules read_molecules(const fs::path& place, std::vector<std::string>& notes) {
  RawMolecules raw = read_raw(place);
  if (raw.molecules.empty()) {
    throw Error(ErrorKind::data, place.string(), "holds no molecule", "Give an .npz, .sdf or .xyz files of QM9");
  }
  Molecules all;
  all.count = static_cast<std::int64_t>(raw.molecules.size());
  for (const auto& molecule : raw.molecules) {
    all.most_atoms = std::max(all.most_atoms, static_cast<std::int64_t>(molecule.charges.size()));
  }
  if (all.count * all.most_atoms * all.most_atoms > most_pairs) {
    throw Error(ErrorKind::data, place.string(),
                fmt::format("{} molecules in tables for {} atoms, as the largest has, take more than {} pairs of atoms",
                            all.count, all.most_atoms, most_pairs),
                "Take the largest molecules out, or divide the file");
  }
  const auto atoms = static_cast<std::size_t>(all.count * all.most_atoms);
  all.charges.assign(atoms, 0);
  all.positions.assign(3 * atoms, 0);
  all.bonds.assign(atoms * static_cast<std::size_t>(all.most_atoms), 0);
  all.node_features.assign(atoms * Molecules::features, 0);
  const bool derived = raw.molecules.front().bonds.atoms() == 0;
  Shares shares;
  for (std::size_t n = 0; n < raw.molecules.size(); ++n) fill(raw.molecules[n], n, all, shares);
  all.provenance = {{"format", raw.format},          {"molecules", all.count},
                    {"sha256", raw.sha256},          {"bonds", derived ? "derived from distances" : "given"},
                    {"connected", shares.connected}, {"usual_valences", shares.usual}};
  notes.push_back(fmt::format(
      "{}: {} molecules, bonds {}; {} are in one piece, {} have the usual valence at every atom", place.string(),
      all.count, derived ? "derived from distances" : "given", shares.connected, shares.usual));
  return all;
}

Molecules chosen_molecules(const Molecules& all, const std::vector<std::int64_t>& which) {
  Molecules chosen;
  chosen.count = static_cast<std::int64_t>(which.size());
  chosen.most_atoms = all.most_atoms;
  chosen.num_atoms = rows_of(all.num_atoms, all.count, which);
  chosen.charges = rows_of(all.charges, all.count, which);
  chosen.positions = rows_of(all.positions, all.count, which);
  chosen.bonds = rows_of(all.bonds, all.count, which);
  chosen.node_features = rows_of(all.node_features, all.count, which);
  chosen.targets = rows_of(all.targets, all.count, which);
  chosen.names = rows_of(all.names, all.count, which);
  chosen.provenance = all.provenance;
  return chosen;
}

MoleculeSplit split_molecules(const Molecules& all, std::int64_t train, std::int64_t validation, std::uint64_t seed) {
  auto parts = data::draw_parts(
      all.count, {train, validation, std::max<std::int64_t>(1, all.count - train - validation)}, seed, "the molecules");
  return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

Standardisation standardisation_of(std::span<const float> targets, std::int64_t properties) {
  const auto width = static_cast<std::size_t>(properties);
  const auto count = static_cast<double>(targets.size() / width);
  Standardisation out{std::vector<double>(width, 0), std::vector<double>(width, 0)};
  for (std::size_t i = 0; i < targets.size(); ++i) out.mean[i % width] += targets[i] / count;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    out.deviation[i % width] += std::pow(targets[i] - out.mean[i % width], 2) / count;
  }
  for (std::size_t p = 0; p < width; ++p) {
    out.deviation[p] = std::sqrt(out.deviation[p]);
    if (out.deviation[p] > 0) continue;
    throw Error(ErrorKind::data, fmt::format("property {}", p), "is the same for all training samples",
                "Take it out, or give more samples");
  }
  return out;
}

void Standardisation::apply(std::span<float> targets) const {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t p = i % mean.size();
    targets[i] = static_cast<float>((targets[i] - mean[p]) / deviation[p]);
  }
}

void Standardisation::undo(std::span<float> targets) const {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t p = i % mean.size();
    targets[i] = static_cast<float>(targets[i] * deviation[p] + mean[p]);
  }
}

}  // namespace moblo::lab::readers
