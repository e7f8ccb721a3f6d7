#include "moblo/conformance/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "moblo/base/error.hpp"
#include "moblo/conformance/known_problems.hpp"
#include "moblo/training/training.hpp"

namespace moblo::conformance {
namespace {

ConformanceCase make_case(std::string name, std::string problem, Json options, double distance) {
  ConformanceCase entry;
  entry.name = std::move(name);
  entry.problem = std::move(problem);
  entry.options = std::move(options);
  entry.distance = distance;
  entry.training.refit = RefitStart::off;  // the truth is known
  return entry;
}

void set_steps(ConformanceCase& entry, std::int64_t iterations, double step_size) {
  entry.training.iterations = iterations;
  entry.training.optimiser.alpha.step_size = entry.training.optimiser.omega.step_size = step_size;
}

/// The paper's own settings.
ConformanceCase synthetic(std::string name, double alpha, std::vector<double> omega) {
  auto entry = make_case(std::move(name), "synthetic", {{"alpha", alpha}, {"omega", omega}}, 1e-5);
  set_steps(entry, 1000, 0.3);
  entry.inner_steps = 50;
  entry.inner_step_size = 0.05;
  return entry;
}

/// First-order methods end within O(mu) of the solutions, so mu falls.
ConformanceCase falling_steps(ConformanceCase entry, double step_size, double power) {
  set_steps(entry, 2000, step_size);
  for (auto* optimiser : {&entry.training.optimiser.alpha, &entry.training.optimiser.omega}) {
    optimiser->schedule.kind = ScheduleKind::power;
    optimiser->schedule.power = power;
  }
  return entry;
}

ConformanceCase quadratic(const std::string& name, Json options, double distance, double condition = 3) {
  options["condition"] = condition;
  auto entry = make_case("quadratic, " + name, "quadratic", std::move(options), distance);
  entry.inner_steps = static_cast<std::int64_t>(condition < 10 ? 30 : 5 * condition);
  return falling_steps(entry, condition < 10 ? 0.5 : 1.0, 0.6);
}

/// Any point of the front will do: no preference is asked for.
ConformanceCase front_case(const std::string& problem, double distance) {
  auto entry = falling_steps(make_case(problem, problem, Json::object(), distance), 0.5, 0.6);
  entry.training.iterations = 800;
  entry.inner_steps = 15;
  return entry;
}

std::unique_ptr<BilevelProblem> problem_of(const ConformanceCase& entry) {
  for (const auto& info : known_problems()) {
    if (info.name == entry.problem) return info.make(info.resolve(entry.options, {}), entry.seed);
  }
  throw Error(ErrorKind::problem, fmt::format("conformance case \"{}\"", entry.name),
              fmt::format("names the problem \"{}\", which has no known truth", entry.problem),
              "Use a problem of known_problems()");
}

class Watch : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
  void saved(std::int64_t, const Snapshot& state) override {
    if (!late_state) late_state = state;
  }

  std::vector<StepRecord> records;
  std::optional<Snapshot> late_state;
};

bool on_simplex(const StepRecord& record) {
  const double sum = std::accumulate(record.weights.begin(), record.weights.end(), 0.0);
  return std::abs(sum - 1) < 1e-9 &&
         std::all_of(record.weights.begin(), record.weights.end(), [](double w) { return w >= -1e-12; });
}

/// The last tenth of a run is enough to tell whether a resumed one repeats it.
TrainingOptions broken_late(TrainingOptions training) {
  training.checkpoint_every = training.iterations - training.iterations / 10;
  return training;
}

/// The rest of the run, from the first checkpoint, with a new problem and a new method.
bool repeats_from(const Snapshot& late_state, const std::vector<StepRecord>& records, const ConformanceCase& entry,
                  const MethodFactory& make) {
  const auto problem = problem_of(entry);
  const auto method = make(entry);
  Watch watch;
  RunControl control;
  control.observers = {&watch};
  control.resume = &late_state;
  train(*problem, *method, broken_late(entry.training), control);
  return watch.records.size() < records.size() && !watch.records.empty() &&
         std::equal(watch.records.rbegin(), watch.records.rend(), records.rbegin());
}

}  // namespace

std::vector<ConformanceCase> conformance_cases() {
  return {
      synthetic("synthetic, first start", 0, {0, 3}),
      synthetic("synthetic, second start", 2, {0, 3}),
      synthetic("synthetic, third start", 2, {3, 3}),
      quadratic("three objectives", {{"n", 3}, {"p", 5}, {"m", 3}}, 0.05),
      quadratic("one objective", {{"n", 2}, {"p", 3}, {"m", 1}}, 0.01),
      quadratic("eight objectives", {{"n", 10}, {"p", 20}, {"m", 8}}, 0.1),
      quadratic("no alpha in F", {{"n", 2}, {"p", 4}, {"m", 2}, {"upper_curvature", 0}}, 0.05),
      quadratic("condition 20", {{"n", 2}, {"p", 4}, {"m", 2}}, 0.2, 20),
      falling_steps(make_case("double well, right", "double_well", {{"alpha", 1.6}, {"omega", {0, 0}}}, 1e-2), 0.3,
                    0.5),
      falling_steps(make_case("double well, left", "double_well", {{"alpha", -1.3}, {"omega", {1, 1}}}, 1e-2), 0.3,
                    0.5),
      front_case("front_quadratic", 0.02),
      front_case("front_fonseca", 0.02),
      front_case("front_octant", 0.05),
  };
}

ConformanceResult check_conformance(const ConformanceCase& entry, const MethodFactory& make) {
  const auto problem = problem_of(entry);
  const auto method = make(entry);
  ConformanceResult result;
  result.name = entry.name;
  result.start_distance = problem->distance_to_solution_set().value_or(0);
  Watch watch;
  RunControl control;
  control.observers = {&watch};
  const Summary summary = train(*problem, *method, broken_late(entry.training), control);
  result.message = summary.message;
  if (!succeeded(summary.status) || watch.records.empty()) return result;
  result.end_distance = problem->distance_to_solution_set().value_or(0);
  result.reached = result.end_distance <= entry.distance;
  const auto& first = watch.records.front();
  const auto& last = watch.records.back();
  result.descended = last.kkt < first.kkt && last.q < first.q;
  result.on_simplex = std::all_of(watch.records.begin(), watch.records.end(), on_simplex);
  result.resumable = watch.late_state && repeats_from(*watch.late_state, watch.records, entry, make);
  return result;
}

}  // namespace moblo::conformance
