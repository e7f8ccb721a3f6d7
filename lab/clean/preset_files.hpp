#pragma once

#include <string_view>

namespace moblo::lab::clean {

/// experiments/hyper_cleaning.toml as it was when the program was built; see cmake/embed.cmake.
extern const std::string_view hyper_cleaning_toml;

}  // namespace moblo::lab::clean
