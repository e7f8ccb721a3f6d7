#include "lab/readers/molecules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "lab/readers/molecule_chemistry.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_arrays.hpp"

namespace moblo::lab::readers {
namespace {

using testing::array;
using testing::expect_says;
using testing::TemporaryFolder;
using testing::write_raw;
using testing::write_text;
using testing::write_zip;

struct Made {
  std::vector<std::uint8_t> charges;
  std::vector<std::array<float, 3>> places;

  void add(std::uint8_t z, double x, double y, double depth = 0) {
    charges.push_back(z);
    places.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(depth)});
  }
  BondTable kekule() const { return derive_bonds(charges, places); }
  BondTable bonds() const {
    BondTable table = kekule();
    mark_aromatic(charges, table);
    return table;
  }
  /// aromatic, sp, sp2, sp3, hydrogens
  std::array<float, 5> tail(std::size_t atom) const {
    const auto all = atom_features(charges, bonds(), atom);
    return {all[6], all[7], all[8], all[9], all[10]};
  }
};

using Tail = std::array<float, 5>;

Made ethylene() {
  Made made;
  for (const double side : {-1.0, 1.0}) made.add(6, 0.666 * side, 0);
  for (const double side : {-1.0, 1.0}) {
    for (const double up : {-0.923, 0.923}) made.add(1, 1.238 * side, up);
  }
  return made;
}

/// A regular ring of these elements, every one with a hydrogen but those of `bare`.
Made ring(const std::vector<std::uint8_t>& elements, double bond, const std::set<std::size_t>& bare = {}) {
  Made made;
  const double turn = 2 * std::numbers::pi / static_cast<double>(elements.size()),
               radius = bond / (2 * std::sin(turn / 2));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double angle = turn * static_cast<double>(i);
    made.add(elements[i], radius * std::cos(angle), radius * std::sin(angle));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double angle = turn * static_cast<double>(i);
    if (!bare.contains(i)) made.add(1, (radius + 1.06) * std::cos(angle), (radius + 1.06) * std::sin(angle));
  }
  return made;
}

Made formamide() {
  Made made;
  made.add(6, 0, 0), made.add(8, 1.22, 0), made.add(7, -0.78, 1.114);
  made.add(1, -0.55, -0.95), made.add(1, -0.353, 2.029), made.add(1, -1.786, 1.026);
  return made;
}

TEST(Bonds, OfEthyleneAreOneDoubleAndFourSingle) {
  const auto bonds = ethylene().kekule();
  EXPECT_EQ(bonds.at(0, 1), 2);
  for (std::size_t h = 2; h < 6; ++h) EXPECT_EQ(bonds.at(h < 4 ? 0 : 1, h), 1);
  EXPECT_TRUE(is_connected(bonds));
  EXPECT_TRUE(valences_are_usual(ethylene().charges, bonds));
  EXPECT_EQ(ethylene().tail(0), (Tail{0, 0, 1, 0, 2}));
  EXPECT_EQ(ethylene().tail(2), (Tail{0, 0, 0, 0, 0}));
}

TEST(Bonds, OfHydrogenCyanideIncludeATripleOne) {
  Made made;
  made.add(1, -1.066, 0), made.add(6, 0, 0), made.add(7, 1.156, 0);
  EXPECT_EQ(made.kekule().at(1, 2), 3);
  EXPECT_EQ(made.tail(1), (Tail{0, 1, 0, 0, 1}));
  EXPECT_EQ(made.tail(2), (Tail{0, 1, 0, 0, 0}));
}

TEST(Bonds, OfBenzeneAlternateAndAreAromatic) {
  const auto made = ring({6, 6, 6, 6, 6, 6}, 1.395);
  const auto kekule = made.kekule(), bonds = made.bonds();
  int doubles = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    doubles += kekule.at(i, (i + 1) % 6) == 2;
    EXPECT_EQ(bonds.at(i, (i + 1) % 6), 4);
    EXPECT_EQ(made.tail(i), (Tail{1, 0, 1, 0, 1}));
  }
  EXPECT_EQ(doubles, 3);
  EXPECT_TRUE(valences_are_usual(made.charges, kekule));
}

TEST(Bonds, OfPyrroleAndFuranAreAromaticByALonePair) {
  for (const std::uint8_t hetero : {7, 8}) {
    const auto made =
        ring({hetero, 6, 6, 6, 6}, 1.38, hetero == 8 ? std::set<std::size_t>{0} : std::set<std::size_t>{});
    EXPECT_EQ(made.kekule().at(0, 1), 1);
    EXPECT_EQ(made.kekule().at(1, 2), 2);
    EXPECT_EQ(made.bonds().at(0, 1), 4);
    EXPECT_EQ(made.tail(0), (Tail{1, 0, 1, 0, hetero == 7 ? 1.0F : 0.0F}));
  }
}

TEST(Bonds, OfAFourRingOfDoubleBondsAreNotAromatic) {
  const auto made = ring({6, 6, 6, 6}, 1.44);
  EXPECT_EQ(made.tail(0), (Tail{0, 0, 1, 0, 1}));  // cyclobutadiene: four electrons
}

TEST(Bonds, ALonePairBesideADoubleBondTakesPartInIt) {
  EXPECT_EQ(formamide().kekule().at(0, 1), 2);
  EXPECT_EQ(formamide().tail(1), (Tail{0, 0, 1, 0, 0}));
  EXPECT_EQ(formamide().tail(2), (Tail{0, 0, 1, 0, 2}));
}

TEST(Bonds, AtomsFarApartAreNotConnected) {
  Made made = ethylene();
  made.add(8, 20, 0), made.add(1, 20.96, 0), made.add(1, 19.76, 0.93);
  EXPECT_FALSE(is_connected(made.kekule()));
  EXPECT_TRUE(valences_are_usual(made.charges, made.kekule()));
  EXPECT_EQ(made.tail(6), (Tail{0, 0, 0, 1, 2}));
}

TEST(Bonds, AReasonableEffortIsMadeOnALargeUnsaturatedMolecule) {
  Made sheet;  // a grid of bare carbon: more Kekule structures than can be tried
  for (int x = 0; x < 10; ++x) {
    for (int y = 0; y < 10; ++y) sheet.add(6, 1.42 * x, 1.42 * y);
  }
  EXPECT_TRUE(is_connected(sheet.kekule()));
}

const std::string methane =
    "5\n"
    "gdb 1\t157.7118\t157.70997\t157.70699\t0.\t13.21\t-0.3877\t0.1171\t0.5048\t35.3641\t0.044749\t-40.47893\t"
    "-40.476062\t-40.475117\t-40.498597\t6.469\t\n"
    "C\t-0.0126981359\t 1.0858041578\t 0.0080009958\t-0.535689\n"
    "H\t 2.150416*^-3\t-0.0060313176\t 0.0019761204\t 0.133921\n"
    "H\t 1.0117308433\t 1.4637511618\t 0.0002765748\t 0.133922\n"
    "H\t-0.540815069\t 1.4475266138\t-0.8766437152\t 0.133923\n"
    "H\t-0.5238136345\t 1.4379326443\t 0.9063972942\t 0.133923\n"
    "1341.307\t1341.3284\n"
    "C\tC\t\n"
    "InChI=1S/CH4/h1H4\tInChI=1S/CH4/h1H4\n";

class MoleculeFiles : public ::testing::Test {
 protected:
  Molecules read(const std::filesystem::path& place) { return read_molecules(place, notes_); }
  std::string refusal(const std::filesystem::path& place) {
    try {
      read(place);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TemporaryFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(MoleculeFiles, XyzOfQm9) {
  write_text(folder_.path() / "dsgdb9nsd_000001.xyz", methane);
  const auto molecules = read(folder_.path());
  ASSERT_EQ(molecules.count, 1);
  ASSERT_EQ(molecules.most_atoms, 5);
  EXPECT_FLOAT_EQ(molecules.positions[3], 2.150416e-3F);
  EXPECT_EQ(molecules.bonds[1], 1);
  EXPECT_EQ(molecules.bonds[5 + 2], 0);
  EXPECT_EQ(molecules.node_features[1], 1);
  EXPECT_EQ(molecules.node_features[10], 4);
  EXPECT_FLOAT_EQ(molecules.targets[1], 13.21F);
  EXPECT_NEAR(molecules.targets[2], -0.3877 * 27211.386, 0.01);
  EXPECT_NEAR(molecules.targets[6], -17172.2, 0.1);  // 395.999 kcal/mol, as the paper of QM9 has it
  EXPECT_FLOAT_EQ(molecules.targets[10], 6.469F);
  EXPECT_EQ(molecules.provenance["bonds"], "derived from distances");
  ASSERT_EQ(notes_.size(), 1U);
  expect_says(notes_[0], {"1 molecules, bonds derived from distances", "1 are in one piece"});
}

TEST_F(MoleculeFiles, XyzProblemsAreNamedByFileAndRow) {
  write_text(folder_.path() / "a.xyz", "x\n");
  write_text(folder_.path() / "b.xyz", "9" + methane.substr(1));
  std::string other = methane;
  other.replace(other.find("C\t-0.01"), 1, "S");
  write_text(folder_.path() / "c.xyz", other);
  write_text(folder_.path() / "d.xyz", "1\ngdb 1 2 3\nC 0 0 0\n");
  expect_says(refusal(folder_.path()),
              {"4 problems", "a.xyz, row 1: the number of atoms is missing", "b.xyz, row",
               "c.xyz, row 3: 'S' is none of H, C, N, O, F", "d.xyz, row 2: 4 words instead of the 17 of QM9"});
}

std::string sdf_of(const Made& made, const std::vector<std::array<int, 3>>& bonds) {
  std::string text =
      fmt::format("made\n  \n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", made.charges.size(), bonds.size());
  const std::string symbols = " H    CNOF";
  for (std::size_t i = 0; i < made.charges.size(); ++i) {
    const auto& p = made.places[i];
    text += fmt::format("{:10.4f}{:10.4f}{:10.4f} {}   0  0\n", p[0], p[1], p[2], symbols[made.charges[i]]);
  }
  for (const auto& [i, j, order] : bonds) text += fmt::format("{:3}{:3}{:3}  0\n", i, j, order);
  return text + "M  END\n$$$$\n";
}

const std::string sdf_table =
    "mol_id,A,B,C,mu,alpha,homo,lumo,gap,r2,zpve,u0,u298,h298,g298,cv\n"
    "gdb_1,1,1,1,0.5,13,-0.3,0.1,0.4,35,0.04,-78.5,-78.4,-78.3,-78.6,6\n";

TEST_F(MoleculeFiles, SdfGivesItsOwnBonds) {
  write_text(folder_.path() / "gdb9.sdf", sdf_of(ethylene(), {{1, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 5, 1}, {2, 6, 1}}));
  write_text(folder_.path() / "gdb9.sdf.csv", sdf_table);
  const auto molecules = read(folder_.path());
  EXPECT_EQ(molecules.bonds[1], 2);
  EXPECT_EQ(molecules.provenance["bonds"], "given");
  EXPECT_FLOAT_EQ(molecules.targets[0], 0.5F);
  EXPECT_NEAR(molecules.targets[6], (-78.5 + 2 * 37.846772 + 4 * 0.500273) * 27211.386, 0.5);
  const auto derived = ethylene().bonds();
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(molecules.bonds[6 * i + j], derived.at(i, j));
  }
}

TEST_F(MoleculeFiles, SdfProblemsAreNamedByRow) {
  write_text(folder_.path() / "gdb9.sdf", sdf_of(ethylene(), {{1, 9, 2}}) + sdf_of(ethylene(), {{1, 2, 7}}));
  write_text(folder_.path() / "gdb9.sdf.csv", sdf_table);
  expect_says(refusal(folder_.path()),
              {"gdb9.sdf: 2 problems", "row 11: is not a bond between two of the atoms", "row 24"});
  write_text(folder_.path() / "gdb9.sdf", sdf_of(ethylene(), {{1, 2, 2}}) + sdf_of(ethylene(), {{1, 2, 2}}));
  expect_says(refusal(folder_.path()), {"gdb9.sdf.csv", "1 rows for 2 molecules"});
}

class MoleculeArrays : public MoleculeFiles {
 protected:
  /// Two molecules of hydrogen fluoride, with room for a third atom.
  testing::Members members() const {
    testing::Members all{
        {"num_atoms", array("<i8", "(2,)", std::vector<std::int64_t>{2, 2})},
        {"charges", array("<i8", "(2, 3)", std::vector<std::int64_t>{1, 9, 0, 9, 1, 0})},
        {"positions",
         array("<f4", "(2, 3, 3)", std::vector<float>{0, 0, 0, 0.92F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.92F, 0, 0, 0, 0})}};
    for (const char* name : {"mu", "alpha", "homo", "lumo", "r2", "zpve", "U0", "U", "H", "G", "Cv"}) {
      all.emplace_back(name, array("<f4", "(2,)", std::vector<float>{1, 3}));
    }
    return all;
  }
  std::string refusal_with(const std::string& name, const testing::Content& content) {
    auto all = members();
    for (auto& [member, value] : all) {
      if (member == name) value = content;
    }
    return refusal(write_zip(folder_.path() / "qm9.npz", all));
  }
};

TEST_F(MoleculeArrays, AreReadAndPadded) {
  write_zip(folder_.path() / "qm9.npz", members());
  const auto molecules = read(folder_.path());
  ASSERT_EQ(molecules.count, 2);
  ASSERT_EQ(molecules.most_atoms, 2);  // room that no molecule needs is not kept
  EXPECT_EQ(molecules.charges, (std::vector<std::uint8_t>{1, 9, 9, 1}));
  EXPECT_EQ(molecules.bonds, (std::vector<std::uint8_t>{0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_NEAR(molecules.targets[6], (1 + 0.500273 + 99.71873) * 27211.386, 2);
  const auto second = chosen_molecules(molecules, {1});
  EXPECT_EQ(second.count, 1);
  EXPECT_EQ(second.charges, (std::vector<std::uint8_t>{9, 1}));
  EXPECT_EQ(second.targets[0], 3);
  EXPECT_EQ(second.names[0], "molecule 1");
}

TEST_F(MoleculeArrays, ProblemsAreNamedByMolecule) {
  expect_says(refusal_with("num_atoms", array("<i8", "(2,)", std::vector<std::int64_t>{2, 4})),
              {"qm9.npz", "molecule 1: 4 atoms where 1 to 3 have room"});
  expect_says(refusal_with("charges", array("<i8", "(2, 3)", std::vector<std::int64_t>{1, 16, 0, 9, 1, 0})),
              {"molecule 0: atom 1 is none of H, C, N, O, F (atomic number 16)"});
  expect_says(refusal_with("positions", array("<f4", "(2, 3, 3)", std::vector<float>(18, 0))),
              {"molecule 0: atoms 0 and 1 are 0.00 Angstrom apart"});
  expect_says(refusal_with("Cv", array("<f4", "(3,)", std::vector<float>{1, 3, 4})), {"array 'Cv' has another number"});
  auto few = members();
  few.pop_back();
  expect_says(refusal(write_zip(folder_.path() / "qm9.npz", few)), {"there is no array 'cv'"});
}

TEST(MoleculeSplit, IsDisjointAndSeeded) {
  Molecules all;
  all.count = 100;
  const auto split = split_molecules(all, 70, 10, 4);
  std::set<std::int64_t> seen;
  for (const auto* part : {&split.train, &split.validation, &split.test}) seen.insert(part->begin(), part->end());
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(split.test.size(), 20U);
  EXPECT_EQ(split.train, split_molecules(all, 70, 10, 4).train);
  EXPECT_NE(split.train, split_molecules(all, 70, 10, 5).train);
  EXPECT_THROW(split_molecules(all, 90, 10, 4), Error);  // nothing is left to test on
}

TEST(Standardisation, GivesMeanZeroAndDeviationOneAndGoesBack) {
  std::vector<float> targets{1, -5e4F, 2, -6e4F, 6, -7e4F};
  const auto original = targets;
  const auto standard = standardisation_of(targets, 2);
  EXPECT_DOUBLE_EQ(standard.mean[0], 3);
  EXPECT_DOUBLE_EQ(standard.deviation[0], std::sqrt(14.0 / 3));
  standard.apply(targets);
  EXPECT_NEAR(targets[1] + targets[3] + targets[5], 0, 1e-6);
  standard.undo(targets);
  for (std::size_t i = 0; i < targets.size(); ++i) EXPECT_NEAR(targets[i], original[i], 1e-2);
  EXPECT_THROW(standardisation_of(std::vector<float>{1, 2, 1, 3}, 2), Error);
}

}  // namespace
}  // namespace moblo::lab::readers
