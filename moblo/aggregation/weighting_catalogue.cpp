#include "moblo/aggregation/weighting_catalogue.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::aggregation {

#define MOBLO_WEIGHTING(name) WeightingInfo name##_weighting();
#include "moblo/aggregation/weighting_catalogue.def"
#undef MOBLO_WEIGHTING

const std::vector<WeightingInfo>& weighting_catalogue() {
  static const std::vector<WeightingInfo> all{
#define MOBLO_WEIGHTING(name) name##_weighting(),
#include "moblo/aggregation/weighting_catalogue.def"
#undef MOBLO_WEIGHTING
  };
  return all;
}

const WeightingInfo& find_weighting(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto& info : weighting_catalogue()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: weighting \"{}\"", place, name), "there is no such weighting",
              base::suggestion(name, names));
}

std::unique_ptr<Weighting> make_weighting(const std::string& name, const Json& options) {
  const auto& info = find_weighting(name, "make_weighting");
  return info.make(info.resolve(options.is_null() ? Json::object() : options, {nullptr, name}));
}

}  // namespace moblo::aggregation
