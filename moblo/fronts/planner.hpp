#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/status.hpp"
#include "moblo/fronts/front_options.hpp"
#include "moblo/fronts/preferences.hpp"
#include "moblo/records/front_record.hpp"
#include "moblo/records/records.hpp"

namespace moblo::fronts {

/// What one run of a front is to find.
struct MOBLO_API PointTarget {
  Preference preference;
  std::map<std::string, double> limits{};  ///< objectives to keep below a value

  /// As the option `limits` of a method has them.
  Json limits_json() const;
};

struct MOBLO_API PlannedPoint {
  std::size_t index = 0;
  std::int64_t round = 0;
  PointTarget target{};
  std::optional<std::size_t> start{};  ///< the point at whose end it begins; empty: a cold start
};

/// "007", and "points/007" below the front's folder.
std::string name_of_point(std::size_t index);
std::string folder_of_point(std::size_t index);

/// Which points a front runs, wave by wave: the points of a wave may run at the same time. A wave is planned from the
/// points of earlier ones alone, so that neither the points nor their starts depend on which of them ends first.
class FrontPlanner {
 public:
  /// Error(config) where `options` do not fit the objectives.
  FrontPlanner(const FrontOptions& options, std::vector<std::string> objectives);

  /// The next wave; empty at the end. Every point of the waves before must have ended.
  std::vector<PlannedPoint> next();
  void ended(std::size_t index, const Summary& summary);

  /// So far, and not less than what has been planned.
  std::size_t points_expected() const;
  /// All that follows from the points so far, judged; title, problem, method and seed are the caller's, and so are the
  /// folders of the points.
  records::FrontRecord record(const std::string& stopped_because) const;
  /// After next() was empty.
  const std::string& stopped_because() const { return stopped_because_; }

 private:
  struct Point {
    PlannedPoint plan;
    std::optional<RunStatus> status{};
    std::vector<double> losses{}, refit_losses{};
  };

  void order_spread(std::vector<Preference> spread);
  std::vector<PlannedPoint> next_of_spread();
  std::vector<PlannedPoint> next_of_refinement();
  std::vector<PlannedPoint> next_of_order();
  std::vector<PlannedPoint> plan_all(std::vector<PointTarget> targets, bool warm);
  std::optional<std::size_t> nearest_ended(const Preference& preference) const;
  std::optional<Preference> halfway(std::size_t a, std::size_t b) const;
  std::vector<std::vector<double>> losses() const;
  double hypervolume_gain() const;
  std::vector<PlannedPoint> stop(std::string why);

  FrontOptions options_;
  std::vector<std::string> objectives_;
  std::vector<std::size_t> order_;  ///< objectives, by place
  std::vector<Preference> spread_;  ///< farthest first
  std::size_t placed_ = 0;          ///< of the spread
  std::int64_t round_ = 0;
  std::size_t points_before_round_ = 0;
  std::vector<Point> points_;
  std::string stopped_because_;
};

}  // namespace moblo::fronts

namespace moblo {

using fronts::PointTarget;

}  // namespace moblo
