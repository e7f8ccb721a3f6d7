#include "moblo/training/selection.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

const std::string prefix = "selected/";

}  // namespace

std::optional<double> Selection::value_in(const Evaluation& evaluation) const {
  const bool smallest = metric_.starts_with('-');
  const auto wanted = metric_.substr(smallest ? 1 : 0);
  for (const auto& [name, value] : evaluation.metrics) {
    if (name == wanted) return smallest ? -value : value;
  }
  return std::nullopt;
}

void Selection::refuse_unknown_metric(const Evaluation& evaluation) const {
  if (!wanted() || value_in(evaluation)) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : evaluation.metrics) names.push_back(name);
  throw Error(ErrorKind::config, fmt::format("select = \"{}\"", metric_), "the problem has no such metric",
              names.empty() ? "It has none; leave select out" : base::suggestion(metric_, names));
}

/// A value that is not a number is never the largest.
bool Selection::offer(const Evaluation& evaluation, BilevelProblem& problem) {
  if (!wanted()) return false;
  const auto value = value_in(evaluation);
  if (!value || !(best_ ? *value > *best_ : *value == *value)) return false;
  best_ = value;
  evaluation_ = evaluation;
  model_ = model_of(problem);
  return true;
}

Json Selection::describe() const {
  Json out;
  out["k"] = evaluation_.k;
  out["by"] = metric_;
  for (const auto& [name, value] : evaluation_.metrics) out["metrics"][name] = value;
  return out;
}

void Selection::save(Snapshot& to) const {
  to.values["selection"] = best_ ? to_json(evaluation_) : Json();
  for (const auto& [name, tensor] : model_.tensors) to.tensors[prefix + name] = tensor;
}

void Selection::restore(const Snapshot& from, BilevelProblem& problem) {
  const Json& state = from.values.at("selection");
  best_.reset();
  model_ = {};
  if (state.is_null()) return;
  evaluation_ = records::evaluation(state);
  best_ = value_in(evaluation_);
  for (const auto& [name, tensor] : model_of(problem).tensors) {
    model_.tensors[name] = problem::tensor_like(from, prefix + name, tensor);
  }
}

}  // namespace moblo::training
