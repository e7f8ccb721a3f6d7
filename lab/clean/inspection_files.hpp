#pragma once

#include <string>
#include <vector>

#include "lab/clean/findings.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// Columns for samples.csv and flagged.csv: duplicate_of, outlier_score, outlier. Both begin with a comma, and
/// the cells are empty where nothing was inspected.
inline constexpr const char* inspection_columns = ",duplicate_of,outlier_score,outlier";
std::string inspection_cells(const DatasetFindings& found, std::size_t sample);

/// An entry of clean.json: groups of duplicates, outliers, overlapping classes, labels by group.
Json inspection_json(const DatasetFindings& found);

/// Sections of the page.
std::string inspection_html(const DatasetFindings& found);

}  // namespace moblo::lab::clean
