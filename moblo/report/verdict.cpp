#include <fmt/format.h>

#include <algorithm>

#include "moblo/report/number_text.hpp"
#include "moblo/report/report.hpp"

namespace moblo {
namespace {

using Expectation = ExperimentRecord::Expectation;

std::string rule_text(const Expectation& expectation) {
  if (expectation.at_most && expectation.at_least) {
    return fmt::format("between {} and {}", number_text(*expectation.at_least), number_text(*expectation.at_most));
  }
  if (expectation.at_most) return fmt::format("at most {}", number_text(*expectation.at_most));
  if (expectation.at_least) return fmt::format("at least {}", number_text(*expectation.at_least));
  return "is known";
}

/// NaN meets no bound: each comparison with it is false.
bool meets(double value, const Expectation& expectation) {
  return (!expectation.at_most || value <= *expectation.at_most) &&
         (!expectation.at_least || value >= *expectation.at_least);
}

Verdict judge_case(const Expectation& expectation, const std::string& case_name, const NamedRuns& runs) {
  Verdict verdict;
  verdict.case_name = case_name;
  verdict.what = expectation.at ? fmt::format("{} at iteration {}", expectation.quantity, *expectation.at)
                                : fmt::format("{} at the end", expectation.quantity);
  verdict.source = expectation.source;
  verdict.rule = rule_text(expectation);
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& named) { return named.first == case_name; });
  verdict.has_run = run != runs.end();
  if (!verdict.has_run) return verdict;
  const auto value = quantity(run->second, expectation.quantity, expectation.at);
  verdict.known = value.has_value();
  verdict.value = value.value_or(0);
  verdict.met = verdict.known && meets(verdict.value, expectation);
  return verdict;
}

std::vector<std::string> cases_of(const ExperimentRecord& experiment, const Expectation& expectation) {
  if (!expectation.case_name.empty()) return {expectation.case_name};
  std::vector<std::string> names;
  for (const auto& one : experiment.cases) names.push_back(one.name);
  return names;
}

}  // namespace

std::vector<Verdict> judge(const ExperimentRecord& experiment, const NamedRuns& runs) {
  std::vector<Verdict> verdicts;
  for (const auto& expectation : experiment.expectations) {
    for (const auto& name : cases_of(experiment, expectation)) {
      verdicts.push_back(judge_case(expectation, name, runs));
    }
  }
  return verdicts;
}

std::string outcome(const Verdict& verdict) {
  if (!verdict.has_run) return "not run";
  if (!verdict.known) return "no value";
  return verdict.met ? "met" : "missed";
}

}  // namespace moblo
