#include "lab/report/arena_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/report/experiment_record.hpp"
#include "lab/report/figure.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

constexpr std::size_t stretches = 50;

bool is_loss(const std::string& name) {
  return name.starts_with("losses[");
}
bool is_of_steps(const std::string& name) {
  return name == "distance" || is_loss(name);
}

std::optional<double> of_model(const records::RunRecord& run, const std::string& name, ArenaModel model) {
  const bool joint = model == ArenaModel::joint;
  if (name == "distance") return joint ? quantity(run, name, std::nullopt) : std::nullopt;
  if (!is_loss(name)) return quantity(run, fmt::format("{}[\"{}\"]", joint ? "final" : "refit", name), std::nullopt);
  const auto measured = quantity(run, (joint ? "joint." : "refit.") + name, std::nullopt);
  return measured || !joint ? measured : quantity(run, name, std::nullopt);
}

using Values = std::function<std::optional<double>(const std::string& name)>;

std::optional<double> sum_of(const ArenaScore& score, const Values& value) {
  double sum = score.offset;
  for (const auto& [name, weight] : score.weights) {
    const auto one = value(name);
    if (!one) return std::nullopt;
    sum += weight * *one;
  }
  return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

std::int64_t price(const GradientCounts& counts) {
  return counts.lower + counts.upper + 2 * counts.second_order;
}

/// Of all steps. Where records were thinned, those left stand for the others.
GradientCounts gradients_of(const records::RunRecord& run) {
  GradientCounts sum;
  for (const auto& step : run.steps) {
    sum.lower += step.gradients.lower;
    sum.upper += step.gradients.upper;
    sum.second_order += step.gradients.second_order;
  }
  if (!run.thinned || !run.summary || run.steps.empty()) return sum;
  const double factor = static_cast<double>(run.summary->iterations) / static_cast<double>(run.steps.size());
  for (auto* count : {&sum.lower, &sum.upper, &sum.second_order}) {
    *count = std::llround(factor * static_cast<double>(*count));
  }
  return sum;
}

/// What was spent before iteration k, for k = 0 .. K. Where records were thinned, the mean price of those left.
class Spending {
 public:
  explicit Spending(const records::RunRecord& run) {
    const auto steps = run.summary ? run.summary->iterations : static_cast<std::int64_t>(run.steps.size());
    double sum = 0;
    for (const auto& step : run.steps) {
      if (!run.thinned) before_.push_back(sum);
      sum += static_cast<double>(price(step.gradients));
    }
    before_.push_back(sum);
    if (!run.steps.empty()) mean_ = sum / static_cast<double>(run.steps.size());
    exact_ = static_cast<std::int64_t>(before_.size()) == steps + 1;
  }

  double before(std::int64_t k) const {
    return exact_ ? before_[std::min(static_cast<std::size_t>(k), before_.size() - 1)] : mean_ * static_cast<double>(k);
  }

 private:
  std::vector<double> before_;
  double mean_ = 0;
  bool exact_ = true;
};

std::vector<Point> of_steps(const records::RunRecord& run, const ArenaScore& score, const Spending& spending) {
  std::vector<Point> points;
  for (const auto& step : run.steps) {
    const auto value = sum_of(score, [&](const std::string& name) { return quantity(step, name); });
    if (value) points.push_back({spending.before(step.k), *value});
  }
  return points;
}

std::vector<Point> of_evaluations(const records::RunRecord& run, const ArenaScore& score, const Spending& spending) {
  std::vector<Point> points;
  for (const auto& evaluation : run.evaluations) {
    const auto value = sum_of(score, [&](const std::string& name) -> std::optional<double> {
      for (const auto& [metric, number] : evaluation.metrics) {
        if (metric == name) return number;
      }
      return std::nullopt;
    });
    if (value) points.push_back({spending.before(evaluation.k), *value});
  }
  return points;
}

/// Means over the last `window` points, once there are as many.
std::vector<Point> trailing_means(const std::vector<Point>& points, std::size_t window) {
  std::vector<Point> means;
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += points[i].y;
    if (i >= window) sum -= points[i - window].y;
    if (i + 1 >= window) means.push_back({points[i].x, sum / static_cast<double>(window)});
  }
  return means;
}

}  // namespace

std::string ArenaScore::text() const {
  std::string text = offset != 0 ? fmt::format("{:g}", offset) : "";
  for (const auto& [name, weight] : weights) {
    text += text.empty() ? (weight < 0 ? "-" : "") : (weight < 0 ? " - " : " + ");
    if (std::abs(weight) != 1) text += fmt::format("{:g} ", std::abs(weight));
    text += name;
  }
  return text;
}

std::optional<double> score_of(const records::RunRecord& run, const ArenaScore& score, ArenaModel model) {
  if (!run.summary || !succeeded(run.summary->status)) return std::nullopt;
  return sum_of(score, [&](const std::string& name) { return of_model(run, name, model); });
}

void refuse_unknown_quantities(const records::RunRecord& run, const ArenaScore& score, const std::string& problem) {
  if (!run.summary || !succeeded(run.summary->status)) return;
  for (const auto& [name, weight] : score.weights) {
    if (of_model(run, name, ArenaModel::joint)) continue;
    std::vector<std::string> known;
    if (!run.evaluations.empty()) {
      for (const auto& [metric, number] : run.evaluations.back().metrics) known.push_back(metric);
    }
    throw Error(ErrorKind::config, fmt::format("problem '{}' of the arena", problem),
                fmt::format("a score names '{}', which its runs do not tell", name), base::suggestion(name, known));
  }
}

std::vector<ArenaRecord::Progress> progress_of(const records::RunRecord& run, const ArenaScore& score) {
  const auto count_of = [&](auto rule) {
    return std::count_if(score.weights.begin(), score.weights.end(), [&](const auto& one) { return rule(one.first); });
  };
  const Spending spending(run);
  std::vector<Point> points;
  if (count_of(is_of_steps) == static_cast<std::ptrdiff_t>(score.weights.size())) {
    points = of_steps(run, score, spending);
    if (count_of(is_loss) > 0) points = trailing_means(points, std::max<std::size_t>(1, points.size() / stretches));
  } else if (count_of(is_of_steps) == 0) {
    points = of_evaluations(run, score, spending);
  }
  std::vector<ArenaRecord::Progress> progress;
  for (const auto& point : points) {
    if (progress.empty() || point.y < progress.back().best) progress.push_back({point.x, point.y});
  }
  if (!points.empty() && points.back().x > progress.back().gradients) {
    progress.push_back({points.back().x, progress.back().best});
  }
  std::vector<Point> curve;
  for (const auto& one : progress) curve.push_back({one.gradients, one.best});
  progress.clear();
  for (const auto& one : thinned(curve, 4 * stretches)) progress.push_back({one.x, one.y});
  return progress;
}

ArenaRecord::Trial trial_of(const records::RunRecord& run, const ArenaScore& joint, const ArenaScore& refit) {
  ArenaRecord::Trial trial;
  trial.joint = score_of(run, joint, ArenaModel::joint);
  trial.refit = score_of(run, refit, ArenaModel::refit);
  if (run.summary) trial.iterations = run.summary->iterations;
  for (const auto& [phase, seconds] : run.timing_sum.seconds) trial.seconds += seconds;
  trial.gradients = gradients_of(run);
  trial.progress = progress_of(run, joint);
  return trial;
}

}  // namespace moblo::lab::report
