#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/records/records.hpp"

namespace moblo::lab::report {

/// Methods against problems, what every run of them reached and what it took: arena.json. Tables, ranks and the page
/// are made of it alone.
struct ArenaRecord {
  std::string title;
  std::string stopped_because;  ///< "all cells done", or why some are missing
  std::vector<std::string> methods;
  std::int64_t selection_seed = 0;  ///< on which the step sizes were chosen
  std::vector<std::int64_t> seeds;  ///< on which they were judged

  struct Problem {
    std::string name;
    std::string measure;      ///< the score, in words; lower is better
    std::int64_t budget = 0;  ///< gradients of a run, a second-order product counted as two
    double resolution = 0;    ///< scores at or below it count as equal
  };
  std::vector<Problem> problems;

  struct Candidate {
    double alpha = 0, omega = 0, lower = 0;  ///< step sizes
    std::string run, status;
    std::optional<double> choice;  ///< the score by which one is chosen
  };
  struct Progress {
    double gradients, best;  ///< the best score after so many gradients
  };
  struct Trial {
    std::int64_t seed = 0;
    std::string run, status;
    std::optional<double> joint, refit;  ///< scores; none where the run ended badly, or the problem has none
    std::int64_t iterations = 0;
    double seconds = 0;  ///< of the steps alone: no evaluation, no refit
    GradientCounts gradients;
    std::vector<Progress> progress;
  };
  struct Cell {
    std::string unsuitable;  ///< why the method does not suit the problem; mostly empty
    std::vector<Candidate> candidates;
    std::optional<std::int64_t> chosen;
    std::vector<Trial> trials;  ///< of the chosen candidate, in the order of the seeds
  };
  std::vector<Cell> cells;  ///< all methods of the first problem, then those of the second, ...

  Cell& cell(std::size_t problem, std::size_t method) { return cells.at(problem * methods.size() + method); }
  const Cell& cell(std::size_t problem, std::size_t method) const {
    return cells.at(problem * methods.size() + method);
  }
  /// Whether every cell that could run has all of its trials.
  bool complete() const;
};

Json to_json(const ArenaRecord& arena);
/// Error(data) where a key is missing or has the wrong type, or the cells are not methods x problems.
ArenaRecord arena_record(const Json& json);

void write_arena(const std::filesystem::path& folder, const ArenaRecord& arena);
/// Empty where the folder has no arena.json.
std::optional<ArenaRecord> read_arena(const std::filesystem::path& folder);

}  // namespace moblo::lab::report
