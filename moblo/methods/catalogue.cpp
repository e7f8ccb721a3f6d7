#include "moblo/methods/catalogue.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/methods/bome_options.hpp"
#include "moblo/methods/bvfim_options.hpp"
#include "moblo/methods/forum_options.hpp"
#include "moblo/methods/moco_options.hpp"
#include "moblo/methods/moml_options.hpp"
#include "moblo/methods/nsga2_options.hpp"
#include "moblo/methods/tpe_options.hpp"

namespace moblo {

const std::vector<MethodInfo>& method_catalogue() {
  static const std::vector<MethodInfo> all{
#define MOBLO_METHOD(name) name##_info(),
#include "moblo/methods/catalogue.def"
#undef MOBLO_METHOD
  };
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
