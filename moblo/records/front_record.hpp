#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"

namespace moblo::records {

/// A set of trade-offs, a run each, and how it is judged: what front.json holds. Every objective is to be small.
struct MOBLO_API FrontRecord {
  std::string title, problem, method;
  std::uint64_t seed = 0;
  std::vector<std::string> objectives;
  std::vector<double> reference_point;  ///< of the hypervolume; empty while no point is done
  double hypervolume = 0;               ///< of the joint models
  std::optional<double> refit_hypervolume;

  struct MOBLO_API Point {
    std::int64_t index = 0, round = 0;
    std::vector<double> preference{};
    std::vector<std::pair<std::string, double>> limits{};  ///< objectives that were kept below a value
    std::optional<std::int64_t> warm_start_from{};         ///< whose end it started from; empty: a cold start
    std::vector<double> losses{};                          ///< of the joint model; empty where the run gave none
    std::vector<double> refit_losses{};                    ///< F(alpha, omega*(alpha)); empty where there is no refit
    std::string run{}, model{};                            ///< relative to the folder; empty without one
    std::string status{};
    bool dominated = false;
    std::optional<bool> refit_dominated{};
  };
  std::vector<Point> points;

  std::vector<std::int64_t> extremes;  ///< the best point of each objective; empty while no point is done
  std::optional<std::int64_t> knee;
  std::optional<double> largest_gap;  ///< between neighbours on the front, over its diameter

  struct MOBLO_API Progress {
    std::int64_t points = 0;
    double hypervolume = 0;
  };
  std::vector<Progress> hypervolume_history;  ///< in the order in which points were planned

  std::int64_t rounds = 0;
  std::string stopped_because;
};

MOBLO_API Json to_json(const FrontRecord& front);
/// Error(data) where a field is missing, has the wrong type, or names a point that is not there.
MOBLO_API FrontRecord front_record(const Json& json);

/// One row per point, every digit.
MOBLO_API std::string front_csv(const FrontRecord& front);

/// Writes front.json, with a checksum, and front.csv; each as a whole or not at all.
void write_front(const std::filesystem::path& folder, const FrontRecord& front);
/// Empty where the folder has no front.json.
std::optional<FrontRecord> read_front(const std::filesystem::path& folder);

}  // namespace moblo::records

namespace moblo {

using records::FrontRecord;

}  // namespace moblo
