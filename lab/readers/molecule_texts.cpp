#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/data/csv.hpp"
#include "lab/data/digest.hpp"
#include "lab/readers/molecule.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

/// QM9 writes some powers of ten as Mathematica does: 1.2*^-6.
bool parse_number(std::string_view word, double& value) {
  const std::size_t power = word.find("*^");
  if (power == word.npos) return parse_double(word, value);
  return parse_double(fmt::format("{}e{}", word.substr(0, power), word.substr(power + 2)), value);
}

constexpr double farthest = 1e6;  ///< Angstrom; squares of it are far from the limits of floats

/// `symbol` and three coordinates. Nothing is returned where all is well.
std::string read_atom(std::string_view symbol, std::span<const std::string_view> coordinates, RawMolecule& molecule) {
  const std::uint8_t z = atomic_number(symbol);
  if (z == 0) return fmt::format("{} is none of H, C, N, O, F", data::in_quotes(symbol));
  std::array<float, 3> place;
  for (std::size_t k = 0; k < 3; ++k) {
    double value = 0;
    if (!parse_number(coordinates[k], value) || std::abs(value) > farthest)
      return fmt::format("{} is not a coordinate", data::in_quotes(coordinates[k]));
    place[k] = static_cast<float>(value);
  }
  molecule.charges.push_back(z);
  molecule.positions.push_back(place);
  return "";
}

/// Where the properties of `molecule_properties` stand among the words of an xyz file's second line:
/// gdb number A B C mu alpha homo lumo gap r2 zpve U0 U H G Cv
constexpr std::array<std::size_t, Molecules::properties> xyz_words{5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16};
constexpr std::size_t xyz_word_count = 17;

std::optional<RawMolecule> parse_xyz(std::string_view text, const std::string& name, data::Problems& problems) {
  const auto lines = lines_of(text);
  const auto fail = [&](std::size_t line, const std::string& what) -> std::optional<RawMolecule> {
    problems.add(fmt::format("{}, row {}: {}", name, line + 1, what));
    return {};
  };
  std::int64_t atoms = 0;
  if (lines.empty() || !parse_whole(data::trimmed(lines[0].text), atoms) || atoms < 1) {
    return fail(0, "the number of atoms is missing");
  }
  if (atoms + 2 > static_cast<std::int64_t>(lines.size())) return fail(lines.size(), "atoms are missing");
  RawMolecule molecule;
  molecule.name = name;
  const auto words = words_of(lines[1].text);
  if (words.size() != xyz_word_count) {
    return fail(1, fmt::format("{} words instead of the {} of QM9: gdb, a number and 15 properties", words.size(),
                               xyz_word_count));
  }
  for (std::size_t p = 0; p < xyz_words.size(); ++p) {
    if (!parse_number(words[xyz_words[p]], molecule.values[p])) {
      return fail(1, fmt::format("{} is not a number", data::in_quotes(words[xyz_words[p]])));
    }
  }
  for (std::size_t line = 2; line < static_cast<std::size_t>(atoms) + 2; ++line) {
    const auto atom = words_of(lines[line].text);
    if (atom.size() < 4) return fail(line, "is not an element with three coordinates");
    if (const auto wrong = read_atom(atom[0], std::span(atom).subspan(1, 3), molecule); !wrong.empty()) {
      return fail(line, wrong);
    }
  }
  return molecule;
}

std::vector<fs::path> files_of(const fs::path& place) {
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : data::entries_of(place)) {
    if (entry.extension() == ".xyz") files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads the molecules of an SD file one after another: three lines of heading, counts, atoms, bonds (V2000), more that
/// is not read, `$$$$`.
class SdfReader {
 public:
  SdfReader(std::string_view text, data::Problems& problems) : lines_(lines_of(text)), problems_(problems) {}

  std::vector<RawMolecule> read() {
    std::vector<RawMolecule> molecules;
    while (at_ < lines_.size()) {
      const bool blank_rest = std::all_of(lines_.begin() + static_cast<std::ptrdiff_t>(at_), lines_.end(),
                                          [](const TextLine& line) { return data::trimmed(line.text).empty(); });
      if (blank_rest) break;
      RawMolecule molecule;
      molecule.name = fmt::format("molecule {}", molecules.size());
      const auto wrong = read_one(molecule);
      if (!wrong.empty()) problems_.add(fmt::format("row {}: {}", std::min(at_, lines_.size() - 1) + 1, wrong));
      molecules.push_back(std::move(molecule));
      while (at_ < lines_.size() && !lines_[at_].text.starts_with("$$$$")) ++at_;
      ++at_;
    }
    return molecules;
  }

 private:
  /// Columns are fixed: numbers of three digits may touch.
  static bool column(std::string_view line, std::size_t start, std::int64_t& value) {
    return line.size() > start && parse_whole(data::trimmed(line.substr(start, 3)), value);
  }

  std::string read_one(RawMolecule& molecule) {
    if (lines_.size() - at_ < 4) return "a molecule is cut short";
    at_ += 3;
    std::int64_t atoms = 0, bonds = 0;
    const std::string_view counts = lines_[at_].text;
    if (counts.find("V3000") != counts.npos) return "is of version V3000; V2000 is read";
    if (!column(counts, 0, atoms) || !column(counts, 3, bonds) || atoms < 1 || bonds < 0) {
      return "the numbers of atoms and bonds are missing";
    }
    ++at_;
    for (std::int64_t i = 0; i < atoms; ++i, ++at_) {
      const auto words = at_ < lines_.size() ? words_of(lines_[at_].text) : std::vector<std::string_view>{};
      if (words.size() < 4) return "is not an atom";
      if (auto wrong = read_atom(words[3], std::span(words).first(3), molecule); !wrong.empty()) return wrong;
    }
    molecule.bonds = BondTable(static_cast<std::size_t>(atoms));
    for (std::int64_t i = 0; i < bonds; ++i, ++at_) {
      std::int64_t first = 0, second = 0, order = 0;
      const bool read = at_ < lines_.size() && column(lines_[at_].text, 0, first) &&
                        column(lines_[at_].text, 3, second) && column(lines_[at_].text, 6, order);
      if (!read || std::min(first, second) < 1 || std::max(first, second) > atoms || first == second || order < 1 ||
          order > 4) {
        return "is not a bond between two of the atoms";
      }
      molecule.bonds.set(static_cast<std::size_t>(first - 1), static_cast<std::size_t>(second - 1),
                         static_cast<std::uint8_t>(order));
    }
    return "";
  }

  std::vector<TextLine> lines_;
  data::Problems& problems_;
  std::size_t at_ = 0;
};

void read_properties(const fs::path& csv, std::vector<RawMolecule>& molecules) {
  const std::array<std::vector<std::string>, Molecules::properties> names{{{"mu"},
                                                                           {"alpha"},
                                                                           {"homo"},
                                                                           {"lumo"},
                                                                           {"r2"},
                                                                           {"zpve"},
                                                                           {"u0", "U0"},
                                                                           {"u298", "U"},
                                                                           {"h298", "H"},
                                                                           {"g298", "G"},
                                                                           {"cv", "Cv"}}};
  const data::TextFile content(csv);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  const auto header = data::read_header(records, csv.string());
  std::array<std::size_t, Molecules::properties> columns{};
  for (std::size_t p = 0; p < names.size(); ++p) {
    const auto found = std::find_first_of(header.begin(), header.end(), names[p].begin(), names[p].end());
    if (found == header.end()) {
      throw Error(ErrorKind::data, csv.string(), fmt::format("there is no column {}", data::in_quotes(names[p][0])),
                  "Give the table that is published with the SD file");
    }
    columns[p] = static_cast<std::size_t>(found - header.begin());
  }
  data::Problems problems(csv.string());
  std::vector<std::string_view> cells;
  std::size_t molecule = 0;
  while (records.next(cells)) {
    if (cells.size() == 1 && data::trimmed(cells[0]).empty()) continue;
    if (cells.size() != header.size()) {
      problems.add(fmt::format("row {}: {} cells, the header has {}", records.row(), cells.size(), header.size()));
    } else if (molecule < molecules.size()) {
      for (std::size_t p = 0; p < columns.size(); ++p) {
        if (parse_double(data::trimmed(cells[columns[p]]), molecules[molecule].values[p])) continue;
        problems.add(fmt::format("row {}, column {}: {} is not a number", records.row(),
                                 data::in_quotes(header[columns[p]]), data::in_quotes(cells[columns[p]])));
      }
    }
    ++molecule;
  }
  if (molecule != molecules.size()) {
    problems.add(fmt::format("{} rows for {} molecules", molecule, molecules.size()));
  }
  problems.refuse_if_any("Give the table that is published with the SD file");
}

}  // namespace

RawMolecules read_molecule_xyz(const fs::path& place) {
  RawMolecules raw{{}, "xyz", ""};
  data::Problems problems(place.string());
  std::string digests;
  for (const auto& file : files_of(place)) {
    const data::TextFile content(file);
    digests += data::sha256(content.text()) + "\n";
    auto molecule = parse_xyz(content.text(), file.filename().string(), problems);
    if (!molecule) continue;
    check_atoms(*molecule, problems);
    raw.molecules.push_back(std::move(*molecule));
  }
  problems.refuse_if_any("Fix these files or take them out");
  raw.sha256 = data::sha256(std::string_view(digests));
  return raw;
}

RawMolecules read_molecule_sdf(const fs::path& sdf) {
  const data::TextFile content(sdf);
  data::Problems problems(sdf.string());
  RawMolecules raw{SdfReader(content.text(), problems).read(), "sdf", data::sha256(content.text())};
  for (const auto& molecule : raw.molecules) {
    if (!molecule.charges.empty()) check_atoms(molecule, problems);
  }
  problems.refuse_if_any("Fix these molecules or take them out");
  read_properties(sdf.string() + ".csv", raw.molecules);
  return raw;
}

}  // namespace moblo::lab::readers
