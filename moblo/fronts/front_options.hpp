#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"

namespace moblo::fronts {

/// How a front is run: the table [front] of an experiment file.
struct MOBLO_API FrontOptions {
  std::int64_t points = 20;      ///< how many, all rounds together; three objectives take the next size of a lattice
  bool refine = false;           ///< half of the points as a spread, the others where the front has its widest gaps
  std::int64_t rounds = 4;       ///< of refinement, at most
  double tolerance = 1e-3;       ///< refinement ends where a round adds less than this share of the hypervolume
  std::int64_t roots = 2;        ///< points with a cold start; the others begin at the end of the nearest before them
  double warm_iterations = 0.3;  ///< of such a point, as a share of a cold one's
  std::vector<std::string> order{};  ///< lexicographic instead of a spread: objectives, the first first
  std::vector<double> slack{};       ///< how much of each objective in `order` the later ones may cost; or one for all
  std::vector<double> reference_point{};  ///< of the hypervolume; empty: worse than every point by a tenth of the range

  static const OptionTable<FrontOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
  /// Of a point, with or without a warm start. The way from one objective's best to the next one's is as long as any:
  /// a lexicographic order saves nothing.
  std::int64_t iterations_of(bool warm, std::int64_t cold_iterations) const;
};

}  // namespace moblo::fronts

namespace moblo {

using fronts::FrontOptions;

}  // namespace moblo
