#pragma once

#include <functional>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo {

/// What can be said of a method without torch: enough to list it, check its options and refuse an unsuitable problem.
struct MethodInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
  /// Defaults overlaid with the given table; throws Error(config).
  std::function<Json(const Json& table, const OptionPlace& place)> resolve;
  std::function<MethodTraits(const Json& resolved)> traits;
};

template <class Options, class Traits>
MethodInfo make_method_info(std::string name, std::string summary, std::string reference, Traits traits) {
  MethodInfo info{std::move(name), std::move(summary), std::move(reference), Options::table().fields(), {}, {}};
  info.resolve = [](const Json& table, const OptionPlace& place) {
    Options options;
    Options::table().read(table, options, place);
    return Options::table().write(options);
  };
  info.traits = [traits](const Json& resolved) {
    Options options;
    Options::table().read(resolved, options, {});
    return traits(options);
  };
  return info;
}

const std::vector<MethodInfo>& method_catalogue();

/// Throws Error(config) that suggests the nearest name.
const MethodInfo& find_method(const std::string& name, const std::string& place);

}  // namespace moblo
