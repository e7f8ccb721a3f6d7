#pragma once

#include <filesystem>
#include <string>

#include "lab/report/summary_table.hpp"
#include "moblo/records/front_record.hpp"

namespace moblo::lab::report {

/// Its own, or one made of the problem's name.
std::string front_title(const records::FrontRecord& front);
/// Whether a point can be drawn: its run has ended with losses that are numbers.
bool has_finite_losses(const records::FrontRecord::Point& point);
std::size_t count_on_front(const records::FrontRecord& front);

/// One row per point: preference, losses, losses after retraining where there are any, standing, status, run.
Table front_table(const records::FrontRecord& front);
/// "21 points, 19 on the front; hypervolume 0.81, retrained 0.79; knee: point 7": what there is of it.
std::string front_sentence(const records::FrontRecord& front);

/// The page of a front. `folder` is where it will stand: a point links to the report of its run where there is one.
std::string front_html(const records::FrontRecord& front, const std::filesystem::path& folder,
                       const std::string& chart_library = "");

/// Makes front.html of the front.json in a folder, and returns its path. Error(data) where there is no front.
std::filesystem::path write_front_page(const std::filesystem::path& folder);

}  // namespace moblo::lab::report
