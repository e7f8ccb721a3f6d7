#pragma once

#include "lab/readers/image_list.hpp"
#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// Decodes all images and brings them to one size: `side` x `side` where it is not 0; as they are where all have one
/// size of at most 64 pixels per side; else a square of 28 where no side is larger than 32, otherwise of the largest
/// side, 64 at most. All are grey, or all have three channels. Where `shape` is not empty, it is the shape wanted.
Samples read_image_samples(const ImageList& list, std::int64_t side, const std::vector<std::int64_t>& shape,
                           ReadingNotes& notes);

/// Ids, labels, marks and files, all but the inputs.
void take_listed(const ImageList& list, Samples& samples);

}  // namespace moblo::lab::readers
