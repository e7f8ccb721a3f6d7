#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/page.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/records/sample_outcomes.hpp"

namespace moblo::lab::report {

/// What the page of one run shows, whether it was read whole or is followed live.
struct RunView {
  RunRow row;
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<Figure> figures;
  PhaseSeconds phases;
  std::optional<EvaluationTable> evaluation;
  std::vector<SampleOutcomes> samples;
  std::optional<records::Refit> refit;
  std::vector<std::string> warnings;
};

RunView view_of(const std::string& name, const records::RunRecord& run);

/// How it stands, in words and numbers: the part of the page that changes while the run goes on.
std::string run_head_html(const RunView& view);

Page run_page(const RunView& view, const std::string& title, const std::string& chart_library);

}  // namespace moblo::lab::report
