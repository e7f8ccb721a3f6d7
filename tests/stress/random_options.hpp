#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/registry.hpp"
#include "tests/stress/random_problem.hpp"

namespace moblo::stress {

/// Options that decide how long a step takes; what they do is seen with few as well.
inline std::int64_t most(const std::string& key) {
  static const std::map<std::string, std::int64_t> limits{
      {"inner_steps", 5}, {"model_steps", 4}, {"solver_steps", 6}, {"population", 12},      {"archive", 10},
      {"trials", 3},      {"candidates", 6},  {"iterations", 10},  {"upper_evaluations", 2}};
  const auto found = limits.find(key.substr(key.rfind('.') + 1));
  return found == limits.end() ? 20 : found->second;
}

/// The ends of a range as a field table writes them: "[0, 1)", "> 0", ">= 1" or nothing.
struct Ends {
  double low = -1e6, high = 1e6;
  bool low_open = false, high_open = false;

  explicit Ends(const std::string& text) {
    if (text.empty()) return;
    if (text[0] == '[' || text[0] == '(') {
      const auto comma = text.find(',');
      low = std::strtod(text.c_str() + 1, nullptr);
      high = std::strtod(text.c_str() + comma + 1, nullptr);
      low_open = text[0] == '(';
      high_open = text.back() == ')';
    } else {
      const auto digits = text.find_first_of("-0123456789");
      (text[0] == '>' ? low : high) = std::strtod(text.c_str() + digits, nullptr);
      (text[0] == '>' ? low_open : high_open) = text.find('=') == std::string::npos;
    }
  }
};

inline std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> all;
  std::istringstream words(type);
  for (std::string word; words >> word;) {
    if (word != "|" && word != "representation") all.push_back(word);  // the problems here have none
  }
  return all;
}

/// Any value of the range, ends included where they belong to it; small and large ones alike.
inline double random_number(Rng& rng, const Ends& ends) {
  if (one_in(rng, 6) && !ends.low_open) return ends.low;
  if (one_in(rng, 6) && !ends.high_open) return ends.high;
  if (ends.low >= 0 && one_in(rng, 2)) {
    const double value = ends.low + power_of_ten(rng, -6, 3);
    if (value < ends.high) return value;
  }
  return ends.low + (std::min(ends.high, ends.low + 10) - ends.low) * (0.01 + 0.98 * rng.uniform());
}

inline Json random_value(Rng& rng, const FieldInfo& field, std::int64_t objectives) {
  const Ends ends(field.range);
  if (field.type == "integer") {
    const double low = std::max(ends.low, 0.0), high = std::min(ends.high, low + static_cast<double>(most(field.key)));
    return static_cast<std::int64_t>(low) +
           static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  if (field.type == "number") return random_number(rng, ends);
  if (field.type == "true | false") return one_in(rng, 2);
  if (field.type == "list of numbers") {
    std::vector<double> list;
    for (std::int64_t i = 0; i < objectives; ++i) list.push_back(power_of_ten(rng, -3, 3));
    return list;
  }
  if (field.key == "weighting") return weighting_catalogue()[rng.below(weighting_catalogue().size())].name;
  const auto choices = choices_of(field.type);
  return choices.size() < 2 ? field.default_value : Json(choices[rng.below(choices.size())]);
}

/// A valid value for about a third of the options; those that decide about time are always small.
inline Json random_options(Rng& rng, const MethodInfo& method, std::int64_t objectives) {
  Json options = Json::object();
  for (const auto& field : method.fields) {
    const bool costs_time = field.type == "integer" && field.default_value.is_number() &&
                            field.default_value.get<std::int64_t>() > most(field.key);
    if (costs_time || one_in(rng, 3)) options[field.key] = random_value(rng, field, objectives);
  }
  return options;
}

/// A run of a few steps, with whatever else a run may have.
inline TrainingOptions random_training(Rng& rng) {
  Json table{{"iterations", 3 + rng.below(5)},
             {"checkpoint_every", rng.below(4)},
             {"evaluate_every", rng.below(4)},
             {"tensorboard", false},
             {"refit_steps", 3}};
  for (const auto& field : TrainingOptions::table().fields()) {
    const bool chosen = field.key.starts_with("optimiser.") || field.key == "refit" || field.key == "record_every";
    if (!chosen || !one_in(rng, 3)) continue;
    auto pointer = "/" + field.key;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    table[Json::json_pointer(pointer)] = random_value(rng, field, 1);
  }
  if (one_in(rng, 3) && table["evaluate_every"] != 0) table["select"] = one_in(rng, 2) ? "length" : "-length";
  TrainingOptions options;
  TrainingOptions::table().read(table, options, {});
  return options;
}

}  // namespace moblo::stress
