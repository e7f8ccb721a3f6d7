#pragma once

#include <string_view>

/// The files of web/, which the build puts into the program.
namespace moblo::web {

extern const std::string_view page_css, theme_js, numbers_js, charts_js, live_js, runs_js, review_js;
extern const std::string_view front_plots_js, front_space_js, front_js;

}  // namespace moblo::web
