#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/clean/clean_task.hpp"
#include "lab/clean/duplicates.hpp"
#include "lab/clean/groups.hpp"
#include "lab/clean/outliers.hpp"
#include "lab/clean/overlaps.hpp"
#include "lab/clean/thumbnail.hpp"

namespace moblo::lab::clean {

/// What else is wrong with a dataset, but for single labels. Of noisy samples.
struct Inspection {
  Duplicates duplicates;
  Outliers outliers;
  std::vector<Overlap> overlaps;
  std::vector<GroupShare> groups;  ///< none where nothing groups the samples
  std::vector<std::pair<std::size_t, Thumbnail>>
      thumbnails{};  ///< of samples that the page shows; none without pictures

  const Thumbnail* thumbnail(std::size_t sample) const;
};

/// What was found out about the labels.
struct Judged {
  const ClassChances& chances;  ///< p(c | x), calibrated
  const Labels& predicted;
  const std::vector<double>& wrong;  ///< P(the given label is wrong)
};

/// Inputs are compared as they are compared best: features of pictures by their direction, pixels as they are, columns
/// of tables in deviations.
Inspection inspect(const CleanTask& task, const Judged& judged, std::uint64_t seed, int threads);

/// How many of a kind the page shows.
inline constexpr std::size_t groups_shown = 12, members_shown = 4, outliers_shown = 24, overlaps_shown = 4;

}  // namespace moblo::lab::clean
