#pragma once

#include <filesystem>
#include <vector>

#include "lab/clean/clean_task.hpp"
#include "lab/clean/duplicates.hpp"
#include "lab/clean/thumbnail.hpp"

namespace moblo::lab::clean {

/// Whether people can be shown the samples: they are pictures, or have one each.
bool has_pictures(const CleanTask& task);

/// Of noisy samples: from their files, at most 96 pixels per side, or from the pixels that the networks see. One
/// without height stands for a file that cannot be shown.
std::vector<Thumbnail> thumbnails(const CleanTask& task, const std::vector<std::size_t>& samples);

/// Two pictures look alike where their pixels, shrunk to 16 x 16, correlate by 0.95: copies that were encoded again,
/// cut at the edges or made brighter do. Each file is read once.
Lookalikes lookalikes_in(const std::vector<std::filesystem::path>& pictures, int threads);

}  // namespace moblo::lab::clean
