#pragma once

#include <filesystem>

#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// A table with a header: columns that become inputs, a column of labels, perhaps ids and marks of trust. With `known`,
/// the encoding of an earlier file, the columns must be those of it, in any order.
Samples read_csv_samples(const std::filesystem::path& file, const data::NoisySource& source, ReadingNotes& notes,
                         const TableEncoding* known = nullptr);

/// The same of rows whose labels do not matter, nor trust: ids and inputs.
Samples read_csv_rows(const std::filesystem::path& file, const data::NoisySource& source, ReadingNotes& notes,
                      const TableEncoding& known);

}  // namespace moblo::lab::readers
