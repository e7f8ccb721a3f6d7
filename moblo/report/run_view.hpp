#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "moblo/record/sample_outcomes.hpp"
#include "moblo/report/page.hpp"
#include "moblo/report/run_figures.hpp"
#include "moblo/report/summary_table.hpp"

namespace moblo {

/// What the page of one run shows, whether it was read whole or is followed live.
struct RunView {
  RunRow row;
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<Figure> figures;
  PhaseSeconds phases;
  std::optional<EvaluationTable> evaluation;
  std::vector<SampleOutcomes> samples;
};

RunView view_of(const std::string& name, const RunRecord& run);

/// How it stands, in words and numbers: the part of the page that changes while the run goes on.
std::string run_head_html(const RunView& view);

Page run_page(const RunView& view, const std::string& title, const std::string& chart_library);

}  // namespace moblo
