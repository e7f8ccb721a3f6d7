#include "moblo/methods/catalogue.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/autolambda_options.hpp"
#include "moblo/methods/bome_options.hpp"
#include "moblo/methods/bvfim_options.hpp"
#include "moblo/methods/forum_options.hpp"
#include "moblo/methods/moco_options.hpp"
#include "moblo/methods/moml_options.hpp"
#include "moblo/methods/nsga2_options.hpp"
#include "moblo/methods/single_level_options.hpp"
#include "moblo/methods/tpe_options.hpp"

namespace moblo {

namespace {

MethodInfo stl_info() {
  auto info = single_level_info(find_weighting("ew", "stl"));
  info.name = "stl";
  info.summary = "a network of its own for each task: what the others are measured against";
  info.traits = [](const Json&) { return MethodTraits{.single_level = true, .network_a_task = true}; };
  return info;
}

}  // namespace

const std::vector<MethodInfo>& method_catalogue() {
  static const auto all = [] {
    std::vector<MethodInfo> methods{
#define MOBLO_METHOD(name) name##_info(),
#include "moblo/methods/catalogue.def"
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
              suggestion(name, names));
}

}  // namespace moblo
