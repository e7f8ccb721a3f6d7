#include "moblo/fronts/front_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "moblo/base/error.hpp"

namespace moblo::fronts {

const OptionTable<FrontOptions>& FrontOptions::table() {
  static const auto table = [] {
    using O = FrontOptions;
    OptionTable<O> t;
    t.add("points", &O::points, "how many points; with three objectives the next of 3, 6, 10, 15, 21, 28, ...",
          within(1, 10000));
    t.add("refine", &O::refine, "half of the points as a spread, the others where the front has its widest gaps");
    t.add("rounds", &O::rounds, "refine: rounds at most", within(1, 1000));
    t.add("tolerance", &O::tolerance, "refine: ends where a round adds less than this share of the hypervolume",
          at_least(0));
    t.add("roots", &O::roots, "points with a cold start; the others begin at the end of the nearest before them",
          at_least(1));
    t.add("warm_iterations", &O::warm_iterations, "iterations of a point with a warm start, as a share of a cold one's",
          {0, 1, true, false});
    t.add("order", &O::order, "lexicographic instead of a spread: names of objectives, the most important first");
    t.add("slack", &O::slack,
          "order: how much worse than its best each objective may become for the next ones; one number for all, or "
          "one each; none = 0",
          at_least(0));
    t.add("reference_point", &O::reference_point,
          "of the hypervolume, one number per objective; none = worse than every point by a tenth of the range");
    return t;
  }();
  return table;
}

void FrontOptions::refuse_contradictions(const OptionPlace& place) const {
  const auto refuse = [&](const char* key, const std::string& rule, const std::string& next) {
    throw Error(ErrorKind::config, place.child(key).text(), rule, next);
  };
  if (order.empty()) {
    if (!slack.empty())
      refuse("slack", "has no effect: order is empty", "Write for example order = [\"loss\", \"gap\"]");
    return;
  }
  if (refine) refuse("refine", "has no effect on a lexicographic order", "Leave out refine, or order");
  if (std::set(order.begin(), order.end()).size() != order.size()) {
    refuse("order", "names an objective twice", "Name each once");
  }
  if (slack.size() > 1 && slack.size() + 1 != order.size()) {
    refuse("slack", fmt::format("has {} numbers for an order of {} objectives", slack.size(), order.size()),
           fmt::format("Give one for all, or {}: the last objective needs none", order.size() - 1));
  }
}

std::int64_t FrontOptions::iterations_of(bool warm, std::int64_t cold_iterations) const {
  if (!warm || !order.empty()) return cold_iterations;
  return std::max<std::int64_t>(1, std::llround(warm_iterations * static_cast<double>(cold_iterations)));
}

}  // namespace moblo::fronts
