#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/data/problems.hpp"
#include "lab/readers/molecules.hpp"

namespace moblo::lab::readers {

/// The order of bonds between any two atoms: values of Bond, symmetric, none on the diagonal.
class BondTable {
 public:
  explicit BondTable(std::size_t atoms = 0) : atoms_(atoms), orders_(atoms * atoms, 0) {}

  std::uint8_t at(std::size_t i, std::size_t j) const { return orders_[i * atoms_ + j]; }
  void set(std::size_t i, std::size_t j, std::uint8_t order) {
    orders_[i * atoms_ + j] = orders_[j * atoms_ + i] = order;
  }
  std::size_t atoms() const { return atoms_; }
  bool bonded(std::size_t i, std::size_t j) const { return at(i, j) != 0; }
  std::vector<std::size_t> neighbours(std::size_t atom) const;

 private:
  std::size_t atoms_;
  std::vector<std::uint8_t> orders_;
};

/// What a file says of one molecule. `values` as published: Hartree, and energies that are not yet relative to atoms.
struct RawMolecule {
  std::string name;
  std::vector<std::uint8_t> charges;
  std::vector<std::array<float, 3>> positions;
  BondTable bonds;  ///< of no atoms where the file gives none
  std::array<double, Molecules::properties> values{};
};

/// What was read, in the order of the file, with the checksum of what it was read from.
struct RawMolecules {
  std::vector<RawMolecule> molecules;
  std::string format, sha256;
};

RawMolecules read_molecule_arrays(const std::filesystem::path& npz);
/// One file, or all files of a folder, in the order of their names.
RawMolecules read_molecule_xyz(const std::filesystem::path& place);
/// With the properties in FILE.csv.
RawMolecules read_molecule_sdf(const std::filesystem::path& sdf);

/// Atomic number of H, C, N, O, F; 0 for what is none of them.
std::uint8_t atomic_number(std::string_view symbol);

/// Adds what is wrong with the atoms themselves: none, too many, unknown elements, two in one place.
void check_atoms(const RawMolecule& molecule, data::Problems& problems);

}  // namespace moblo::lab::readers
