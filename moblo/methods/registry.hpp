#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo::methods {

/// What the program lists, checks and makes by name.
struct MOBLO_API MethodInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
  bool takes(const std::string& option) const;  ///< Whether it is one of `fields`.
  /// Defaults overlaid with the given table; throws Error(config).
  std::function<Json(const Json& table, const OptionPlace& place)> resolve;
  std::function<MethodTraits(const Json& resolved)> traits;
  std::function<std::unique_ptr<Method>(const Json& resolved)> make;
};

/// The steps behind a BuiltIn, from options that were held to their table: the same rules and words as from a file.
template <class Steps, class Options>
CheckedSteps make_checked(const Options& options, const char* name) {
  const auto checked = Options::table().checked(options, {nullptr, name});
  return {std::make_unique<Steps>(checked), Options::table().write(checked)};
}

/// Of a class that is made from its options.
template <class MethodType, class Options>
MethodInfo make_method_info(std::string name, std::string summary, std::string reference) {
  MethodInfo info{
      std::move(name), std::move(summary), std::move(reference), Options::table().fields(), nullptr, nullptr, nullptr};
  info.resolve = [](const Json& table, const OptionPlace& place) {
    Options options;
    Options::table().read(table, options, place);
    return Options::table().write(options);
  };
  info.make = [](const Json& resolved) {
    Options options;
    Options::table().read(resolved, options, {});
    return std::make_unique<MethodType>(options);
  };
  info.traits = [make = info.make](const Json& resolved) { return make(resolved)->traits(); };
  return info;
}

MOBLO_API const std::vector<MethodInfo>& method_catalogue();

/// Throws Error(config) that suggests the nearest name.
MOBLO_API const MethodInfo& find_method(const std::string& name, const std::string& place);

/// A method of the catalogue by name, its options as in an experiment file; what is not given has its default.
MOBLO_API std::unique_ptr<Method> make_method(const std::string& name, const Json& options = Json::object());

}  // namespace moblo::methods

namespace moblo {

using methods::find_method;
using methods::make_method;
using methods::method_catalogue;
using methods::MethodInfo;

}  // namespace moblo
