#include "moblo/fronts/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/fronts/judge.hpp"

namespace moblo::fronts {
namespace {

constexpr double narrowest_angle = 2e-3;  // radians: nearer rays are not parted any more

/// Means over many batches where a refit took them; the last batch otherwise.
std::vector<double> joint_losses(const Summary& summary) {
  return summary.refit ? summary.refit->joint.losses : summary.losses;
}

std::size_t place_of(const std::string& objective, const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), objective);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  throw Error(ErrorKind::config, fmt::format("front.order: \"{}\"", objective), "is not an objective of this problem",
              "Its objectives are " + base::join(known));
}

bool is_near(const Preference& a, const Preference& b) {
  return angle(a, b) < narrowest_angle / 2;
}

/// Of each objective, over all points that have numbers; 1 where it is the same everywhere.
std::vector<double> ranges(const std::vector<std::vector<double>>& points) {
  std::vector<double> low, high;
  for (const auto& point : points) {
    if (!is_usable(point)) continue;
    if (low.empty()) low = high = point;
    for (std::size_t i = 0; i < point.size(); ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  }
  for (std::size_t i = 0; i < low.size(); ++i) high[i] = high[i] > low[i] ? high[i] - low[i] : 1;
  return high;
}

double apart(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& scale) {
  double square = 0;
  for (std::size_t i = 0; i < scale.size(); ++i) square += std::pow((a[i] - b[i]) / scale[i], 2);
  return std::sqrt(square);
}

/// Half of the points, at least one more than objectives, as many as there are at most.
std::int64_t points_of_first_round(const FrontOptions& options, std::int64_t objectives) {
  if (!options.refine) return options.points;
  const auto half = std::min(options.points, std::max(objectives + 1, (options.points + 1) / 2));
  return spread_size_within(objectives, half);
}

}  // namespace

Json PointTarget::limits_json() const {
  Json all = Json::object();
  for (const auto& [name, value] : limits) all[name] = value;
  return all;
}

std::string name_of_point(std::size_t index) {
  return fmt::format("{:03}", index);
}

std::string folder_of_point(std::size_t index) {
  return fmt::format("points/{:03}", index);
}

FrontPlanner::FrontPlanner(const FrontOptions& options, std::vector<std::string> objectives)
    : options_(FrontOptions::table().checked(options, {nullptr, "front"})), objectives_(std::move(objectives)) {
  const auto m = static_cast<std::int64_t>(objectives_.size());
  if (!options_.reference_point.empty() && options_.reference_point.size() != objectives_.size()) {
    throw Error(ErrorKind::config, "front.reference_point",
                fmt::format("has {} numbers, and the problem has {} objectives", options_.reference_point.size(), m),
                "Give one number per objective: " + base::join(objectives_));
  }
  for (const auto& name : options_.order) order_.push_back(place_of(name, objectives_));
  auto spread = spread_preferences(m, points_of_first_round(options_, m));  // refuses a single objective
  if (order_.empty()) order_spread(std::move(spread));
}

/// The one nearest to the middle, then always the one whose nearest predecessor is farthest: any beginning of the list
/// covers the whole spread.
void FrontPlanner::order_spread(std::vector<Preference> spread) {
  const Preference middle(objectives_.size(), 1.0 / static_cast<double>(objectives_.size()));
  std::vector<double> apart(spread.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> taken(spread.size(), false);
  std::size_t next = 0;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if (angle(spread[i], middle) < angle(spread[next], middle) - 1e-12) next = i;
  }
  while (spread_.size() < spread.size()) {
    taken[next] = true;
    spread_.push_back(spread[next]);
    std::size_t farthest = next;
    for (std::size_t i = 0; i < spread.size(); ++i) {
      apart[i] = std::min(apart[i], angle(spread[i], spread[next]));
      const bool first = taken[farthest];
      if (!taken[i] && (first || apart[i] > apart[farthest] + 1e-12)) farthest = i;
    }
    next = farthest;
  }
}

std::vector<PlannedPoint> FrontPlanner::next() {
  if (!stopped_because_.empty()) return {};
  if (!order_.empty()) return next_of_order();
  if (placed_ < spread_.size()) return next_of_spread();
  return next_of_refinement();
}

/// Each wave doubles what there is, so that the starts form a tree whose depth grows like the logarithm of the points.
std::vector<PlannedPoint> FrontPlanner::next_of_spread() {
  const std::size_t wanted = placed_ == 0 ? static_cast<std::size_t>(options_.roots) : placed_;
  const std::size_t count = std::min(wanted, spread_.size() - placed_);
  std::vector<PointTarget> targets;
  for (std::size_t i = 0; i < count; ++i) targets.push_back({spread_[placed_ + i]});
  const bool warm = placed_ > 0;
  placed_ += count;
  return plan_all(std::move(targets), warm);
}

std::vector<PlannedPoint> FrontPlanner::next_of_refinement() {
  const auto budget = static_cast<std::size_t>(options_.points);
  if (points_.size() >= budget) return stop("all points done");
  if (!options_.refine) return stop("all points done");
  if (round_ == options_.rounds) return stop("all rounds done");
  if (round_ > 0 && hypervolume_gain() < options_.tolerance) {
    return stop(fmt::format("a round added less than {} of the hypervolume", options_.tolerance));
  }
  const std::size_t rest = budget - spread_.size(), rounds = static_cast<std::size_t>(options_.rounds);
  const std::size_t most = std::min((rest + rounds - 1) / rounds, budget - points_.size());
  std::vector<PointTarget> targets;
  for (const auto& pair : neighbours(losses())) {
    if (targets.size() == most) break;
    const auto middle = halfway(pair.a, pair.b);
    const bool planned = middle && std::any_of(targets.begin(), targets.end(), [&](const PointTarget& target) {
                           return is_near(*middle, target.preference);
                         });
    if (middle && !planned) targets.push_back({*middle});
  }
  if (targets.empty()) return stop("no gap is left that a preference could halve");
  ++round_;
  points_before_round_ = points_.size();
  return plan_all(std::move(targets), true);
}

/// The preference between those of two neighbours. Where a point was there and is dominated, since runs are noisy or
/// the front has a hole, halfway from it to the one whose losses are farther from its own.
std::optional<Preference> FrontPlanner::halfway(std::size_t a, std::size_t b) const {
  const auto all = losses();
  const auto beaten = dominated(all);
  const auto scale = ranges(all);
  const auto preference = [&](std::size_t p) { return points_[p].plan.target.preference; };
  while (angle(preference(a), preference(b)) >= narrowest_angle) {
    const auto middle = between(preference(a), preference(b));
    std::size_t there = 0;
    while (there < points_.size() && !is_near(middle, preference(there))) ++there;
    if (there == points_.size()) return middle;
    if (!beaten[there] || !is_usable(all[there])) break;
    (apart(all[a], all[there], scale) < apart(all[there], all[b], scale) ? a : b) = there;
  }
  return std::nullopt;
}

/// Each objective in turn, those before it limited to their best value plus slack.
std::vector<PlannedPoint> FrontPlanner::next_of_order() {
  const std::size_t k = points_.size();
  if (k == order_.size()) return stop("all objectives of the order done");
  PointTarget target{mostly(order_[k], objectives_.size())};
  for (std::size_t j = 0; j < k; ++j) {
    const RunStatus status = points_[j].status.value_or(RunStatus::failed);
    if (!succeeded(status)) return stop(fmt::format("point {} ended as {}", j, base::name(status)));
    const double slack = options_.slack.empty() ? 0 : options_.slack[options_.slack.size() == 1 ? 0 : j];
    target.limits[objectives_[order_[j]]] = points_[j].losses[order_[j]] + slack;
  }
  round_ = static_cast<std::int64_t>(k);
  auto wave = plan_all({std::move(target)}, false);
  if (k > 0) points_.back().plan.start = wave.front().start = k - 1;
  return wave;
}

std::vector<PlannedPoint> FrontPlanner::plan_all(std::vector<PointTarget> targets, bool warm) {
  std::vector<PlannedPoint> wave;
  for (auto& target : targets) {
    const auto start = warm ? nearest_ended(target.preference) : std::nullopt;
    wave.push_back({points_.size() + wave.size(), round_, std::move(target), start});
  }
  for (const auto& point : wave) points_.push_back({point});
  return wave;
}

/// Of those that ended well.
std::optional<std::size_t> FrontPlanner::nearest_ended(const Preference& preference) const {
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!points_[i].status || !succeeded(*points_[i].status)) continue;
    const double apart = angle(points_[i].plan.target.preference, preference);
    if (apart >= least - 1e-12) continue;
    least = apart;
    best = i;
  }
  return best;
}

void FrontPlanner::ended(std::size_t index, const Summary& summary) {
  auto& point = points_.at(index);
  point.status = summary.status;
  // A limit that could not be met leaves a model all the same; nothing begins at it.
  if (!succeeded(summary.status) && summary.status != RunStatus::limits_not_met) return;
  point.losses = joint_losses(summary);
  if (summary.refit) point.refit_losses = summary.refit->alone.losses;
}

std::vector<std::vector<double>> FrontPlanner::losses() const {
  std::vector<std::vector<double>> all;
  for (const auto& point : points_) all.push_back(point.losses);
  return all;
}

/// What the last round added, relative to what there was.
double FrontPlanner::hypervolume_gain() const {
  const auto volume = [&](std::vector<std::vector<double>> points) {
    std::erase_if(points, [](const auto& point) { return !is_usable(point); });
    const auto reference = options_.reference_point.empty() ? reference_point(losses()) : options_.reference_point;
    return aggregation::hypervolume(points, reference);
  };
  const auto all = losses();
  const double before = volume({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(points_before_round_)});
  const double now = volume(all);
  return before > 0 ? now / before - 1 : now > 0 ? 1 : 0;
}

std::size_t FrontPlanner::points_expected() const {
  if (!order_.empty()) return order_.size();
  const auto budget = static_cast<std::size_t>(options_.points);
  return std::max({spread_.size(), points_.size(), options_.refine && stopped_because_.empty() ? budget : 0});
}

std::vector<PlannedPoint> FrontPlanner::stop(std::string why) {
  stopped_because_ = std::move(why);
  return {};
}

records::FrontRecord FrontPlanner::record(const std::string& stopped_because) const {
  records::FrontRecord front;
  front.objectives = objectives_;
  for (const auto& [plan, status, joint, refitted] : points_) {
    records::FrontRecord::Point point;
    point.index = static_cast<std::int64_t>(plan.index);
    point.round = plan.round;
    point.preference = plan.target.preference;
    point.limits.assign(plan.target.limits.begin(), plan.target.limits.end());
    if (plan.start) point.warm_start_from = static_cast<std::int64_t>(*plan.start);
    point.losses = joint;
    point.refit_losses = refitted;
    point.status = status ? std::string(base::name(*status)) : "not started";
    front.points.push_back(std::move(point));
  }
  front.rounds = round_ + (points_.empty() ? 0 : 1);
  front.stopped_because = stopped_because;
  judge(front, options_.reference_point);
  return front;
}

}  // namespace moblo::fronts
