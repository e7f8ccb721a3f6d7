#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/clean/findings.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// Names of the files in the out directory.
inline constexpr const char* samples_file = "samples.csv";
inline constexpr const char* flagged_file = "flagged.csv";
inline constexpr const char* review_file = "review.csv";
inline constexpr const char* clean_json_file = "clean.json";
inline constexpr const char* clean_page_file = "report.html";
inline constexpr const char* model_file = "model.safetensors";
inline constexpr const char* model_usage_file = "model.json";
inline constexpr const char* review_json_file = "review.json";  ///< what `moblo review` may show
inline constexpr std::array clean_outputs{samples_file,     flagged_file,    review_file,      model_file,
                                          model_usage_file, clean_page_file, review_json_file, clean_json_file};

/// dataset, id, given_label, predicted_label, wrong_probability: all noisy samples of all datasets, the most
/// suspicious first (of equals, in the order of the data), or only those that are flagged.
std::string samples_csv(const std::vector<DatasetFindings>& all, bool flagged_only);

/// dataset, id, given_label, predicted_label, wrong_probability, reason, checked_label (empty): the samples to look at.
std::string review_csv(const std::vector<DatasetFindings>& all);

/// "89.4 %", with "(90 % interval 85.0 to 93.1)" where there is one.
std::string estimate_text(const Estimate& estimate);

/// What is promised and on which evidence it rests, sentence by sentence: noise, flagged list, model.
std::vector<std::string> promises(const DatasetFindings& found);

/// Every figure, by dataset; `about` (seed, options, machine) comes first.
Json findings_json(const std::vector<DatasetFindings>& all, const Json& about);

/// "91.23", "0.9912", an en dash where there is none.
std::string percent_text(const std::optional<double>& share);
std::string auc_text(const std::optional<double>& auc);

/// The ways beside one another: header and rows. Columns for which no way has a figure are left out.
std::vector<std::vector<std::string>> comparison_rows(const DatasetFindings& found);

/// One page that asks nothing of any network.
std::string clean_page(const std::vector<DatasetFindings>& all, const Json& about);

}  // namespace moblo::lab::clean
