#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace moblo::lab::data {

struct NumberMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row by row
};

/// Finite numbers: an npy array of two dimensions, a table without a header (.csv, .tsv, .txt), or a JSON list of
/// lists. Throws Error(data) that names the rows at fault.
NumberMatrix read_matrix(const std::filesystem::path& file);

}  // namespace moblo::lab::data
