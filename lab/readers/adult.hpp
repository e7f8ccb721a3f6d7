#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// The people of the Adult table as numbers, row by row.
struct People {
  std::vector<std::string> features;  ///< names of the columns of `inputs`
  std::vector<float> inputs;          ///< people x features
  std::vector<std::int64_t> income;   ///< 1: above 50,000 dollars a year
  std::vector<std::int64_t> group;    ///< 1: the larger group of the protected column (men, or white people)
  std::vector<bool> test;             ///< of the published test part
  Json provenance;

  std::int64_t count() const { return static_cast<std::int64_t>(income.size()); }
};

/// `protected_column` ("sex" or "race") is no feature. Of the others: numbers are standardised (amounts of capital as
/// log(1 + x)), by the rows of the training part; categories become one column each, a missing value is one of them.
/// fnlwgt, a weight of the survey, and education, which education_num repeats, are left out.
People read_adult(const std::filesystem::path& folder, const std::string& protected_column);

}  // namespace moblo::lab::readers
