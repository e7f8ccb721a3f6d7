#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/data/idx.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::data {

/// Grey images that show two overlapping things each, hence two labels.
struct PairedImages {
  std::int64_t count = 0, side = 0;
  Bytes pixels;                       ///< [count, side, side]
  std::vector<std::int64_t> labels;   ///< [count, 2]: upper left, lower right
  std::vector<std::int64_t> sources;  ///< [count, 2]: which images of the file were drawn
};

/// Two images of `pool` on one canvas: the first in its upper left corner, the second `shift` pixels further down and
/// right, the brighter pixel where they overlap. At either place each image is drawn as often as any other, to within
/// one, and never together with itself; a function of the seed alone. Error(data) for a pool of fewer than two.
PairedImages pair_images(const LabelledImages& images, const std::vector<std::int64_t>& pool, std::int64_t count,
                         std::int64_t shift, std::uint64_t seed);

struct PairedImagesOptions {
  std::string dataset = "mnist";    ///< or "fashion-mnist"
  std::string data;                 ///< directory with a folder of that name; empty = wherever it is found
  std::int64_t train = 50000;       ///< pairs of images of the train files
  std::int64_t validation = 10000;  ///< likewise; the parts share no image
  std::int64_t test = 10000;        ///< pairs of images of the test files
  std::int64_t shift = 8;           ///< of the second image; 8 makes canvases of 36 x 36
};

/// Multi-MNIST, or Multi-Fashion.
struct PairedImagesParts {
  PairedImages train, validation, test;
  int classes = 10;
  Json provenance = Json::object();  ///< checksums of the files and of the pairs that were drawn
};

PairedImagesParts make_paired_images(const PairedImagesOptions& options, std::uint64_t seed);

}  // namespace moblo::lab::data
