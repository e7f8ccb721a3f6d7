#pragma once

#include <string_view>

/// The files of web/, which the build puts into the program.
namespace moblo::web {

extern const std::string_view page_css, theme_js, charts_js, live_js, runs_js;

}  // namespace moblo::web
