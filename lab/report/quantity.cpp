#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "lab/report/experiment_record.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::report {
namespace {

/// "losses[2]" is the entry 2 of losses; "kkt" has no index.
struct QuantityName {
  std::string_view key;
  std::optional<std::size_t> index;
};

std::optional<QuantityName> parse_name(std::string_view name) {
  if (!name.ends_with(']')) return QuantityName{name, std::nullopt};
  const auto open = name.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const auto digits = name.substr(open + 1, name.size() - open - 2);
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return QuantityName{name.substr(0, open), index};
}

struct ScalarRow {
  std::string_view key;
  double StepRecord::*member;
};
constexpr std::array step_scalars{ScalarRow{"kkt", &StepRecord::kkt}, ScalarRow{"q", &StepRecord::q},
                                  ScalarRow{"lower_loss", &StepRecord::lower_loss}, ScalarRow{"nu", &StepRecord::nu},
                                  ScalarRow{"qp_residual", &StepRecord::qp_residual}};

struct ListRow {
  std::string_view key;
  std::vector<double> StepRecord::*member;
};
constexpr std::array step_lists{ListRow{"losses", &StepRecord::losses}, ListRow{"weights", &StepRecord::weights},
                                ListRow{"solved_weights", &StepRecord::solved_weights},
                                ListRow{"gradient_norms", &StepRecord::gradient_norms},
                                ListRow{"conflict_cosines", &StepRecord::conflict_cosines}};

/// Unlike in a record's line, null is no number here: it stands for a value that the run does not have.
std::optional<double> number_in(const Json& value) {
  return value.is_null() ? std::nullopt : records::json_number(value);
}

/// METRIC of KEY["METRIC"].
std::optional<std::string> metric_of(std::string_view name, const std::string& key) {
  const std::string begin = key + "[\"", end = "\"]";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size()) return std::nullopt;
  return std::string(name.substr(begin.size(), name.size() - begin.size() - end.size()));
}

std::optional<double> selected_quantity(const Json& state, const std::string& metric) {
  if (!state.is_object() || !state.contains("selected")) return std::nullopt;
  const auto& selected = state["selected"];
  if (!selected.is_object() || !selected.contains("metrics") || !selected["metrics"].is_object()) return std::nullopt;
  const auto found = selected["metrics"].find(metric);
  return found == selected["metrics"].end() ? std::nullopt : number_in(*found);
}

/// Of the last evaluation of a run that has ended.
std::optional<double> last_evaluation(const records::RunRecord& run, const std::string& metric) {
  if (!run.summary || run.evaluations.empty()) return std::nullopt;
  for (const auto& [name, value] : run.evaluations.back().metrics) {
    if (name == metric) return value;
  }
  return std::nullopt;
}

/// Median over the iterations after the first, which also pays for what is set up once.
std::optional<double> step_seconds(const records::RunRecord& run) {
  std::vector<double> steps;
  for (const auto& timing : run.timings) {
    double sum = 0;
    for (const auto& [phase, seconds] : timing.seconds) sum += seconds;
    if (timing.k > 0) steps.push_back(sum);
  }
  if (steps.empty()) return std::nullopt;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  if (steps.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(steps.begin(), middle)) / 2;
}

std::optional<double> peak_bytes(const records::RunRecord& run) {
  std::int64_t peak = run.timing_sum.peak_bytes;
  for (const auto& timing : run.timings) peak = std::max(peak, timing.peak_bytes);
  return peak > 0 ? std::optional<double>(static_cast<double>(peak)) : std::nullopt;
}

/// What the steps added to the process that had the data and the network already.
std::optional<double> added_bytes(const records::RunRecord& run) {
  const auto peak = peak_bytes(run);
  const auto& runtime = run.manifest.runtime;
  if (!peak || !runtime.is_object() || !runtime.contains("bytes_before_first_step")) return std::nullopt;
  const auto before = records::json_number(runtime["bytes_before_first_step"]);
  return before ? std::optional(*peak - *before) : std::nullopt;
}

std::optional<double> machine_quantity(const records::RunRecord& run, const std::string& name) {
  if (name == "step_seconds") return step_seconds(run);
  if (name == "peak_bytes") return peak_bytes(run);
  if (name == "added_bytes") return added_bytes(run);
  if (name == "seconds" && run.summary) return run.summary->seconds;
  return std::nullopt;
}

/// METRIC of "refit["METRIC"]", "losses[1]" or "lower_loss" of "refit.losses[1]"; the joint model's under "joint".
std::optional<double> model_quantity(const records::RefitModel& model, const std::string& name,
                                     const std::string& prefix) {
  if (const auto metric = metric_of(name, prefix)) {
    const auto found = std::find_if(model.metrics.begin(), model.metrics.end(),
                                    [&metric](const auto& one) { return one.first == *metric; });
    return found == model.metrics.end() ? std::nullopt : std::optional(found->second);
  }
  if (!name.starts_with(prefix + ".")) return std::nullopt;
  const auto parsed = parse_name(std::string_view(name).substr(prefix.size() + 1));
  if (!parsed) return std::nullopt;
  if (parsed->key == "lower_loss" && !parsed->index) return model.lower_loss;
  const bool loss = parsed->key == "losses" && parsed->index && *parsed->index < model.losses.size();
  return loss ? std::optional(model.losses[*parsed->index]) : std::nullopt;
}

std::optional<double> refit_quantity(const records::RunRecord& run, const std::string& name) {
  if (!run.summary || !run.summary->refit) return std::nullopt;
  if (const auto alone = model_quantity(run.summary->refit->alone, name, "refit")) return alone;
  return model_quantity(run.summary->refit->joint, name, "joint");
}

std::optional<double> final_quantity(const Json& state, const std::string& name) {
  if (!state.is_object()) return std::nullopt;
  if (const auto whole = state.find(name); whole != state.end()) return number_in(*whole);
  const auto parsed = parse_name(name);
  if (!parsed || !parsed->index) return std::nullopt;
  const auto list = state.find(std::string(parsed->key));
  if (list == state.end() || !list->is_array() || *parsed->index >= list->size()) return std::nullopt;
  return number_in((*list)[*parsed->index]);
}

}  // namespace

std::optional<double> quantity(const StepRecord& step, const std::string& name) {
  if (name == "distance") return step.distance;
  const auto parsed = parse_name(name);
  if (!parsed) return std::nullopt;
  for (const auto& row : step_scalars) {
    if (row.key == parsed->key && !parsed->index) return step.*row.member;
  }
  for (const auto& row : step_lists) {
    if (row.key == parsed->key && parsed->index && *parsed->index < (step.*row.member).size()) {
      return (step.*row.member)[*parsed->index];
    }
  }
  return std::nullopt;
}

std::optional<double> quantity(const records::RunRecord& run, const std::string& name, std::optional<std::int64_t> at) {
  if (!at || (run.summary && *at == run.summary->iterations)) {
    if (const auto measured = machine_quantity(run, name)) return measured;
    if (const auto metric = metric_of(name, "selected")) {
      return run.summary ? selected_quantity(run.summary->final_state, *metric) : std::nullopt;
    }
    if (const auto metric = metric_of(name, "final")) return last_evaluation(run, *metric);
    if (const auto refitted = refit_quantity(run, name)) return refitted;
    return run.summary ? final_quantity(run.summary->final_state, name) : std::nullopt;
  }
  const auto step =
      std::find_if(run.steps.begin(), run.steps.end(), [at](const StepRecord& one) { return one.k == *at; });
  if (step != run.steps.end()) return quantity(*step, name);
  const auto left_out = run.thinned ? records::read_step(run.folder, *at) : std::nullopt;
  return left_out ? quantity(*left_out, name) : std::nullopt;
}

}  // namespace moblo::lab::report
