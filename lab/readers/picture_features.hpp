#pragma once

#include <string>
#include <vector>

#include "lab/readers/image_list.hpp"
#include "lab/readers/picture.hpp"
#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// What one look at an image file tells.
struct SeenPicture {
  std::string sha256;
  bool colour = false;
};

/// Numbers in place of pixels, from a network that this room knows nothing of.
class PictureFeatures {
 public:
  virtual ~PictureFeatures() = default;
  /// Whether such images go in as features; says in the notes why, or why not.
  virtual bool wanted(const std::string& list, bool colour, ReadingNotes& notes) = 0;
  /// Row by row, in the order of the list; `seen` has an entry for each image.
  virtual std::vector<float> make(const ImageList& list, const std::vector<SeenPicture>& seen, ReadingNotes& notes) = 0;
  virtual std::int64_t width() const = 0;
  /// What a model's file must say, so that new images get the same.
  virtual std::string description() const = 0;
};

/// Reads every file once, on all cores. Refuses, up to ten at once, what is no whole PNG, JPEG or BMP.
std::vector<SeenPicture> look_at_pictures(const ImageList& list, unsigned threads);

/// The image, upright and whole, stretched to side x side with three channels as torchvision does; nothing and a reason
/// where it cannot be decoded.
std::optional<Picture> network_picture(const std::filesystem::path& file, std::int64_t side, std::string& why);

/// Features where they are wanted, pixels otherwise (see read_image_samples).
Samples read_picture_samples(const ImageList& list, const data::NoisySource& source, PictureFeatures* features,
                             ReadingNotes& notes);

/// Features for certain: new images for a model that takes them.
Samples read_feature_samples(const ImageList& list, const std::vector<SeenPicture>& seen, PictureFeatures& features,
                             ReadingNotes& notes);

/// The image files that ids name, relative to `folder`: nothing unless the first sample's is there. The others are
/// looked for when they are needed.
std::vector<std::filesystem::path> pictures_named_by(const std::vector<std::string>& ids,
                                                     const std::filesystem::path& folder);

}  // namespace moblo::lab::readers
