#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// A table with a header: numbers, a column of labels, perhaps ids and marks of trust. Where `features` are named, the
/// columns must be these, in any order.
Samples read_csv_samples(const std::filesystem::path& file, const data::NoisySource& source,
                         const std::vector<std::string>& features = {});

/// The names of the feature columns, from the header alone.
std::vector<std::string> read_csv_features(const std::filesystem::path& file, const data::NoisySource& source);

/// 1/0, true/false, yes/no in any case; anything else leaves `flag` and returns false.
bool parse_flag(std::string_view text, bool& flag);

}  // namespace moblo::lab::readers
