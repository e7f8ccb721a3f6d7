#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"

namespace moblo::aggregation {

/// A weighting by name, with its options: what `moblo aggregate`, the single-level methods and the docs are made from.
struct MOBLO_API WeightingInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
  /// Defaults overlaid with the given table; throws Error(config).
  std::function<Json(const Json& table, const OptionPlace& place)> resolve;
  /// From resolved options.
  std::function<std::unique_ptr<Weighting>(const Json& resolved)> make;
};

/// `Kind` has an `Options` with a field table, and is made from one.
template <class Kind>
WeightingInfo make_weighting_info(std::string name, std::string summary, std::string reference) {
  using Options = typename Kind::Options;
  WeightingInfo info{std::move(name), std::move(summary), std::move(reference), Options::table().fields(), {}, {}};
  info.resolve = [](const Json& table, const OptionPlace& place) {
    Options options;
    Options::table().read(table, options, place);
    return Options::table().write(options);
  };
  info.make = [](const Json& resolved) -> std::unique_ptr<Weighting> {
    Options options;
    Options::table().read(resolved, options, {});
    return std::make_unique<Kind>(options);
  };
  return info;
}

MOBLO_API const std::vector<WeightingInfo>& weighting_catalogue();

/// Throws Error(config) that suggests the nearest name.
MOBLO_API const WeightingInfo& find_weighting(const std::string& name, const std::string& place);

/// A weighting of the catalogue by name, its options as in an experiment file; what is not given has its default. It is
/// not started yet.
MOBLO_API std::unique_ptr<Weighting> make_weighting(const std::string& name, const Json& options = Json::object());

}  // namespace moblo::aggregation

namespace moblo {

using aggregation::find_weighting;
using aggregation::make_weighting;
using aggregation::weighting_catalogue;
using aggregation::WeightingInfo;

}  // namespace moblo
