#include <fmt/format.h>

#include <cmath>

#include "lab/report/number_text.hpp"
#include "lab/report/report.hpp"
#include "lab/report/statistic.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

using Expectation = ExperimentRecord::Expectation;

std::string bounds_text(const Expectation& expectation) {
  if (expectation.at_most && expectation.at_least) {
    return fmt::format("between {} and {}", number_text(*expectation.at_least), number_text(*expectation.at_most));
  }
  if (expectation.at_most) return fmt::format("at most {}", number_text(*expectation.at_most));
  if (expectation.at_least) return fmt::format("at least {}", number_text(*expectation.at_least));
  return expectation.above.empty() ? "is known" : "";
}

std::string rule_text(const Expectation& expectation) {
  auto text = bounds_text(expectation);
  if (!expectation.above.empty()) {
    text += fmt::format("{}above {}", text.empty() ? "" : ", ", base::join(expectation.above, " and "));
  }
  return text;
}

/// "kkt at iteration 100", "peak_bytes / that of FORUM, mean of 3 seeds".
std::string what_text(const Expectation& expectation, std::size_t seeds) {
  auto text = expectation.quantity;
  if (!expectation.relative_to.empty()) text += fmt::format(" / that of {}", expectation.relative_to);
  const bool of_the_whole_run = text.starts_with("selected[") || text.find("_bytes") != std::string::npos ||
                                text.find("seconds") != std::string::npos;
  if (expectation.at) text += fmt::format(" at iteration {}", *expectation.at);
  if (!expectation.at && !of_the_whole_run) text += " at the end";
  if (seeds > 1) text += fmt::format(", mean of {} seeds", seeds);
  return text;
}

/// NaN meets no bound: each comparison with it is false.
bool within_bounds(double value, const Expectation& expectation) {
  return (!expectation.at_most || value <= *expectation.at_most) &&
         (!expectation.at_least || value >= *expectation.at_least);
}

/// The cases that it is compared with belong to what it needs to know.
class Judgement {
 public:
  Judgement(const Expectation& expectation, const ExperimentRecord& experiment, const NamedRuns& runs)
      : expectation_(expectation), experiment_(experiment), runs_(runs) {}

  Verdict of(const std::string& case_name) {
    const auto own = look_at(case_name);
    verdict_.case_name = case_name;
    verdict_.what = what_text(expectation_, own.seeds);
    verdict_.source = expectation_.source;
    verdict_.rule = rule_text(expectation_);
    verdict_.has_run = own.started > 0;
    auto value = own.mean();
    if (value && !expectation_.relative_to.empty()) {
      const auto base = look_at(expectation_.relative_to).mean();
      value = base && std::isfinite(*base) && *base != 0 ? std::optional(*value / *base) : std::nullopt;
    }
    bool met = value && within_bounds(*value, expectation_);
    for (const auto& other : expectation_.above) {
      const auto theirs = look_at(other).mean();
      met = met && theirs && *value > *theirs;
    }
    verdict_.known = value && all_known_;
    verdict_.value = value.value_or(0);
    verdict_.met = verdict_.known && met;
    return verdict_;
  }

 private:
  Statistic look_at(const std::string& case_name) {
    auto seen = statistic(experiment_, runs_, case_name, expectation_.quantity, expectation_.at);
    verdict_.partial = verdict_.partial || seen.finished < seen.seeds;
    all_known_ = all_known_ && seen.complete();
    return seen;
  }

  const Expectation& expectation_;
  const ExperimentRecord& experiment_;
  const NamedRuns& runs_;
  Verdict verdict_;
  bool all_known_ = true;
};

}  // namespace

std::vector<Verdict> judge(const ExperimentRecord& experiment, const NamedRuns& runs) {
  std::vector<Verdict> verdicts;
  for (const auto& expectation : experiment.expectations) {
    const auto names = expectation.case_name.empty() ? case_names(experiment) : std::vector{expectation.case_name};
    for (const auto& name : names) verdicts.push_back(Judgement(expectation, experiment, runs).of(name));
  }
  return verdicts;
}

std::string outcome(const Verdict& verdict) {
  if (!verdict.has_run) return "not run";
  if (verdict.partial) return "incomplete";
  if (!verdict.known) return "no value";
  return verdict.met ? "met" : "missed";
}

}  // namespace moblo::lab::report
