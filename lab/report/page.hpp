#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace moblo::lab::report {

/// One HTML page that asks nothing of any network: style and scripts stand in it, and its Content-Security-Policy lets
/// no other script run.
struct Page {
  std::string title;                                          ///< plain text
  std::string body;                                           ///< HTML
  std::vector<std::pair<std::string, std::string>> sections;  ///< id (or path) and name: the bar at the top
  std::string figures;                                        ///< JSON for the charts; empty: the pictures stay still
  std::string chart_library;                                  ///< its text; empty: none
  std::string_view own_script{};                              ///< that asks the server the page came from
  std::string live{};                                         ///< JSON for it
  std::vector<std::string_view> scripts{};                    ///< that ask nothing of any server
  std::vector<std::pair<std::string, std::string>> data{};    ///< id and JSON for them
};

std::string page_html(const Page& page);

/// The charts' code, which `tools/setup` installs: from the source tree that a build folder lies in, or from where
/// `cmake --install` puts it, or the file that MOBLO_CHARTS names. Empty where there is none.
std::string chart_library();
/// What a page without it says.
extern const char* const no_chart_library;

}  // namespace moblo::lab::report
