#include "moblo/methods/single_level_options.hpp"

namespace moblo {
namespace {

constexpr auto key = "gradients";

/// Weights that need no gradients take one pass anyway; gradients by the representations of two batches have nothing to
/// do with one another.
bool can_stop_at_representation(const WeightingInfo& weighting) {
  const auto needs = weighting.make(weighting.resolve(Json::object(), {}))->needs();
  return needs.gramian && !needs.remembers && needs.samples == 1;
}

}  // namespace

const OptionTable<SingleLevelOptions>& SingleLevelOptions::table() {
  static const auto table = [] {
    OptionTable<SingleLevelOptions> t;
    t.add(key, &SingleLevelOptions::gradients,
          "what the weights are found from: by the shared parameters, a backward pass a task, or by the representation "
          "that the heads read, one pass");
    return t;
  }();
  return table;
}

MethodInfo single_level_info(const WeightingInfo& weighting) {
  MethodInfo info{weighting.name,   weighting.summary, weighting.reference,
                  weighting.fields, weighting.resolve, [](const Json&) { return MethodTraits{.single_level = true}; }};
  if (!can_stop_at_representation(weighting)) return info;
  const auto& own = SingleLevelOptions::table();
  for (const auto& field : own.fields()) info.fields.push_back(field);
  info.resolve = [resolve = weighting.resolve](const Json& table, const OptionPlace& place) {
    Json rest = table, given = Json::object();
    if (rest.is_object() && rest.contains(key)) {
      given[key] = rest[key];
      rest.erase(key);
    }
    SingleLevelOptions options;
    SingleLevelOptions::table().read(given, options, place);
    Json resolved = resolve(rest, place);
    resolved.update(SingleLevelOptions::table().write(options));
    return resolved;
  };
  return info;
}

SingleLevelOptions take_single_level_options(Json& of_both) {
  SingleLevelOptions options;
  if (!of_both.contains(key)) return options;
  SingleLevelOptions::table().read(Json{{key, of_both[key]}}, options, {});
  of_both.erase(key);
  return options;
}

}  // namespace moblo
