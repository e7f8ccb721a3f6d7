#include <fmt/format.h>

#include <exception>

#include "moblo/training/loop.hpp"

namespace moblo::training {
namespace {

constexpr std::int64_t small_problem = 32;  // up to here a summary shows the variables themselves

std::vector<double> small_variables(ParameterPack& pack) {
  std::vector<double> values;
  if (pack.size() > small_problem) return values;
  const auto add = [&](const torch::Tensor& tensor) {
    const auto flat = tensor.detach().to(torch::kFloat64).contiguous().view({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) values.push_back(flat[i].item().toDouble());
  };
  add(pack.values());
  for (const auto& table : pack.tables()) add(table.values);
  return values;
}

}  // namespace

/// An observer that cannot write the end makes it a failure, of which it is told in turn.
void Loop::end(Summary& summary) {
  try {
    if (selection_.chosen()) notify([&](RunObserver& o) { o.selected(selection_.model()); });
    notify([&](RunObserver& o) { o.ended(summary); });
  } catch (const std::exception& error) {
    end_badly(error.what(), summary);
  } catch (...) {
    end_badly("an observer threw something that is not a std::exception", summary);
  }
}

/// Those that can be told are told; one that throws again is passed over.
void Loop::end_badly(const std::string& what, Summary& summary) {
  summary.status = RunStatus::failed;
  summary.message = what;
  for (auto* observer : control_.observers) {
    try {
      observer->ended(summary);
    } catch (...) {
    }
  }
}

/// Measures z at the end, as the next step would, and leaves everything as it was.
void Loop::finish(Summary& summary) {
  const Measurement here = measure_here();
  save();  // before the last evaluation: had the run gone on, there would have been none here
  evaluate();
  describe_point(here.record, summary);
  if (summary.status == RunStatus::completed && k_ < options_.iterations) {
    summary.message = fmt::format("all {} gradients used up", options_.stop.gradients);
  }
  if (here.unmet_limits.empty() || !succeeded(summary.status)) return;
  summary.status = RunStatus::limits_not_met;
  summary.message = here.unmet_limits + ". Raise the limit, or let the run go on with more iterations";
}

Summary Loop::summary() {
  Summary summary;
  describe_point(measure_here().record, summary);
  summary.iterations = k_;
  summary.seconds = seconds();
  summary.message = describe(summary.status);
  summary.warnings = shape_.warnings;
  return summary;
}

void Loop::describe_point(const StepRecord& record, Summary& summary) {
  summary.losses = record.losses;
  summary.lower_loss = record.lower_loss;
  summary.q = record.q;
  summary.kkt = record.kkt;
  summary.weights = record.weights;
  summary.nu = record.nu;
  summary.alpha = small_variables(problem_.upper());
  summary.omega = small_variables(problem_.lower());
  auto& out = summary.final_state;
  if (!problem_.objective_names().empty()) out["objectives"] = shape_.objectives;
  out["losses"] = record.losses;
  out["lower_loss"] = record.lower_loss;
  out["q"] = record.q;
  out["kkt"] = record.kkt;
  out["weights"] = record.weights;
  out["nu"] = record.nu;
  if (const auto distance = problem_.distance_to_solution_set()) out["distance"] = *distance;
  if (!summary.alpha.empty()) out["alpha"] = summary.alpha;
  if (!summary.omega.empty()) out["omega"] = summary.omega;
}

void Loop::take_back(const NotFinite& error, Summary& summary) {
  summary.status = RunStatus::non_finite;
  summary.message = fmt::format("iteration {}: {}", k_, error.what());
  step_back();
  save();
}

/// In the middle of a step, or of the measurement at the end: there is no time to measure where it stands.
void Loop::interrupt(Summary& summary) {
  summary.status = RunStatus::interrupted;
  save_or_say(summary);
}

/// Whatever else stopped it (a loss that throws, a disk that is full): the summary says so, and the state is saved
/// where that is still possible.
void Loop::fail(const std::string& what, Summary& summary) {
  if (control_.failure) *control_.failure = std::current_exception();
  summary.status = RunStatus::failed;
  summary.message = fmt::format("iteration {}: {}", k_, what);
  save_or_say(summary);
}

void Loop::save_or_say(Summary& summary) {
  try {
    save();
  } catch (...) {
    if (summary.message.empty()) summary.message = describe(summary.status);
    if (!summary.message.ends_with('.')) summary.message += '.';
    summary.message += " The state could not be saved; the last checkpoint stands.";
  }
}

}  // namespace moblo::training
