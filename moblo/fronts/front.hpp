#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/fronts/front_options.hpp"
#include "moblo/fronts/planner.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/records/front_record.hpp"
#include "moblo/training/training.hpp"

namespace moblo::fronts {

/// A problem at its start, a new one each time, and always the same.
using ProblemFactory = std::function<std::shared_ptr<BilevelProblem>()>;
/// The method that looks for such a point: Forum({.preference = target.preference}). Its limits count for a
/// lexicographic order alone.
using MethodFactory = std::function<std::unique_ptr<Method>(const PointTarget& target)>;

struct MOBLO_API FrontControl {
  std::filesystem::path folder{};  ///< for front.json, front.csv and a run folder per point; empty: nothing is written
  RunControl run{};                ///< of every point; `resume` and `warm_start` are the front's own
  /// After every point, with all that is known so far.
  std::function<void(const FrontRecord& front, const Summary& point)> point_ended{};
};

struct MOBLO_API Front {
  FrontRecord record;
  std::vector<Summary> summaries;                         ///< by point
  std::vector<std::shared_ptr<BilevelProblem>> problems;  ///< by point, at the end of its run: alpha and omega
};

/// One run per preference, each with a problem and a method of its own, in this process and one after the other. With a
/// folder, points that were begun before go on from their last checkpoint, to the same bits. An interrupt, or a run
/// that fails, ends it with the points so far; `record.stopped_because` says so. One that ends with values that are not
/// finite leaves the others alone. Throws Error for what was given, before the first iteration of a point.
MOBLO_API Front front(const ProblemFactory& make_problem, const MethodFactory& make_method,
                      const FrontOptions& options = {}, const TrainingOptions& training = {},
                      const FrontControl& control = {});

}  // namespace moblo::fronts

namespace moblo {

using fronts::Front;
using fronts::front;
using fronts::FrontControl;

}  // namespace moblo
