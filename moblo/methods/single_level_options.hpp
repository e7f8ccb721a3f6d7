#pragma once

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/catalogue.hpp"

namespace moblo {

enum class TaskGradients { parameters, representation };

/// What the methods on one level have beside the options of their weighting.
struct SingleLevelOptions {
  TaskGradients gradients = TaskGradients::parameters;

  static const OptionTable<SingleLevelOptions>& table();
};

template <>
struct EnumNames<TaskGradients> {
  static constexpr std::array values{std::pair{"parameters", TaskGradients::parameters},
                                     std::pair{"representation", TaskGradients::representation}};
};

/// A weighting as a method, and the options of both taken apart again.
MethodInfo single_level_info(const WeightingInfo& weighting);
SingleLevelOptions take_single_level_options(Json& of_both);

}  // namespace moblo
