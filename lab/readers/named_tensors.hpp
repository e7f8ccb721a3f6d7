#pragma once

#include <filesystem>
#include <vector>

#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::readers {

/// Weights of a network from a .safetensors or .npz file of any program. Arrays of an npz file come as 32 bit floats
/// that are finite; others, and what is damaged, are refused by name.
std::vector<records::StoredTensor> read_named_tensors(const std::filesystem::path& file);

/// The other way, each tensor with its own type; the same tensors give the same bytes.
void write_named_tensors(const std::filesystem::path& file, const std::vector<records::StoredTensor>& tensors);

}  // namespace moblo::lab::readers
