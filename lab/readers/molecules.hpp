#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

enum class Bond : std::uint8_t { none = 0, single = 1, two = 2, triple = 3, aromatic = 4 };

/// Molecules of H, C, N, O, F with eleven properties, as QM9 has them. Atoms beyond a molecule's own are zeros.
struct Molecules {
  static constexpr std::int64_t features = 11, properties = 11;

  std::int64_t count = 0, most_atoms = 0;  ///< A = most_atoms
  std::vector<std::int32_t> num_atoms;     ///< [count]
  std::vector<std::uint8_t> charges;       ///< [count, A], atomic numbers
  std::vector<float> positions;            ///< [count, A, 3], Angstrom
  std::vector<std::uint8_t> bonds;         ///< [count, A, A], values of Bond; symmetric
  std::vector<float> node_features;        ///< [count, A, 11]: H C N O F one-hot, Z, aromatic, sp, sp2, sp3, hydrogens
  std::vector<float> targets;              ///< [count, 11] in the units of `molecule_properties`
  std::vector<std::string> names;          ///< [count], for messages
  Json provenance = Json::object();        ///< files and checksums; where the bonds come from
};

struct MoleculeProperty {
  std::string name, unit;
};

/// mu alpha homo lumo r2 zpve U0 U H G cv. Energies in meV; U0, U, H and G as atomisation energies.
const std::array<MoleculeProperty, Molecules::properties>& molecule_properties();

/// From a folder with one of: an npz file of arrays (num_atoms, charges, positions, the properties, U0_thermo ..);
/// `gdb9.sdf` with `gdb9.sdf.csv`; or .xyz files as QM9 was published. A file of these kinds may be named as well.
/// Bonds that a file does not give are derived from the distances (see docs/data_formats.md). Error(data) names what is
/// bad.
Molecules read_molecules(const std::filesystem::path& place, std::vector<std::string>& notes);

/// The molecules with these positions, in this order.
Molecules chosen_molecules(const Molecules& all, const std::vector<std::int64_t>& which);

struct MoleculeSplit {
  std::vector<std::int64_t> train, validation, test;
};

/// Disjoint, seeded; what `train` and `validation` leave is the test part. The paper's sizes for QM9 are 110,000 and
/// 10,000 of 130,831; a tenth of it is split into 10,000, 1,500 and 1,583.
MoleculeSplit split_molecules(const Molecules& all, std::int64_t train, std::int64_t validation, std::uint64_t seed);

/// Targets as networks see them, and back; mean and deviation (of the population) of the training part, per property.
struct Standardisation {
  std::vector<double> mean, deviation;

  void apply(std::span<float> targets) const;
  /// In physical units.
  void undo(std::span<float> targets) const;
};

/// Error(data) for a property that does not vary.
Standardisation standardisation_of(std::span<const float> targets, std::int64_t properties);

}  // namespace moblo::lab::readers
