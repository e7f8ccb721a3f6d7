#include "moblo/methods/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/single_level.hpp"

namespace moblo::methods {

#define MOBLO_METHOD(name) MethodInfo name##_info();
#include "moblo/methods/methods.def"
#undef MOBLO_METHOD

bool MethodInfo::takes(const std::string& option) const {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) { return field.key == option; });
}

const std::vector<MethodInfo>& method_catalogue() {
  static const auto all = [] {
    std::vector<MethodInfo> methods{
#define MOBLO_METHOD(name) name##_info(),
#include "moblo/methods/methods.def"
#undef MOBLO_METHOD
    };
    methods.push_back(stl_info());
    for (const auto& weighting : weighting_catalogue()) methods.push_back(single_level_info(weighting));
    return methods;
  }();
  return all;
}

const MethodInfo& find_method(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto& info : method_catalogue()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: method = \"{}\"", place, name), "there is no such method",
              base::suggestion(name, names));
}

std::unique_ptr<Method> make_method(const std::string& name, const Json& options) {
  const auto& info = find_method(name, "make_method");
  return info.make(info.resolve(options.is_null() ? Json::object() : options, {nullptr, name}));
}

}  // namespace moblo::methods
