#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/data/file_bytes.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::readers {

/// Colour images of one size with a label each, as one domain of Office-31 has them. Kept as bytes: floats would take
/// four times the memory, and a batch at a time is enough (see `normalise_pixels`).
struct LabelledPictures {
  std::int64_t count = 0, side = 0;
  data::Bytes pixels;                ///< [count, side, side, 3]
  std::vector<std::int64_t> labels;  ///< [count]
  std::string sha256;                ///< of the list and of every image file, in the list's order: a key for caches
};

struct ListedPicturesOptions {
  std::int64_t side = 224;
  int classes = 31;
  bool cache = true;                     ///< keep the decoded images on disk
  std::filesystem::path cache_folder{};  ///< empty = ArrayCache::default_folder()
  unsigned threads = 0;                  ///< for decoding; 0 = all cores. Decides nothing but time
};

/// The images that a list names, one line each: `path label`. Paths count from `root`. Stretched to a square by an
/// antialiased bilinear filter, as Pillow and torchvision do. Error(data) names the list and up to ten of its lines.
LabelledPictures read_listed_pictures(const std::filesystem::path& list, const std::filesystem::path& root,
                                      const ListedPicturesOptions& options, std::vector<std::string>& notes);

/// One part of one domain of Office-31: `split/DOMAIN_PART.txt`. Domains: amazon, dslr, webcam; parts: train, val,
/// test.
LabelledPictures read_office31(const std::filesystem::path& folder, const std::string& domain, const std::string& part,
                               const ListedPicturesOptions& options, std::vector<std::string>& notes);

const std::vector<std::string>& office31_domains();

/// What networks that were trained on ImageNet expect of red, green and blue in [0, 1].
inline constexpr std::array<float, 3> imagenet_mean{0.485F, 0.456F, 0.406F};
inline constexpr std::array<float, 3> imagenet_deviation{0.229F, 0.224F, 0.225F};

/// Pixels of one image [height x width, 3] as three planes of (value / 255 - mean) / deviation.
void normalise_pixels(std::span<const std::uint8_t> pixels, std::span<float> planes);

/// What the manifest keeps of one part.
Json describe(const LabelledPictures& pictures);

}  // namespace moblo::lab::readers
