#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "moblo/aggregation/preference.hpp"
#include "moblo/base/options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::methods {

/// Which trade-off is wanted, for the methods that can be told. Their option structs are flat and repeat the fields;
/// names, ranges and help are written here, once.
struct PreferenceFields {
  std::vector<double> preference, reference;
  double pull = 1;
  std::map<std::string, double> limits;
  double limit_rate = 1, limit_tolerance = 0.01;
};

template <class O>
void add_preference_fields(OptionTable<O>& t) {
  t.add("preference", &O::preference,
        "how much each objective matters, as in [2, 1]; the result lies where preference x (F - reference) is equal",
        above(0));
  t.add("reference", &O::reference,
        "z, below all losses, one per objective; none = zeros; lowered where a loss passes");
  t.add("pull", &O::pull, "how strongly the run is drawn to the preferred trade-off, beside descent", above(0));
  t.add("limits", &O::limits, "objectives to keep at or below a value while the others are minimised, by name");
  t.add("limit_rate", &O::limit_rate, "c: a limited F may change by c (limit - F) per unit step; at most 1 / step_size",
        above(0));
  t.add("limit_tolerance", &O::limit_tolerance, "a run counts as within a limit up to this share of it", at_least(0));
}

template <class O>
PreferenceFields preference_fields(const O& options) {
  return {options.preference, options.reference,  options.pull,
          options.limits,     options.limit_rate, options.limit_tolerance};
}

template <class O>
bool has_preference(const O& options) {
  return !options.preference.empty() || !options.limits.empty();
}

/// For a problem, whose objectives have a number and names. Throws Error(config) in the name of the method.
aggregation::PreferenceOptions resolved_preference(const PreferenceFields& fields, const BilevelProblem& problem,
                                                   std::int64_t objectives, const std::string& method);

}  // namespace moblo::methods
