#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/readers/noisy_reader.hpp"

namespace moblo::lab::readers {

struct ListedImage {
  std::filesystem::path file;
  std::string id, label;
  bool trusted = false;
  std::int64_t row = 0;  ///< in the list; 0 in a folder
  std::string given{};   ///< the label before somebody checked it; empty where that is not known
};

struct ImageList {
  std::string file;  ///< the folder or the list, for messages
  std::vector<ListedImage> images;
  bool marked = false;  ///< the list says which labels are trusted
};

/// By the end of its name.
bool named_as_image(const std::filesystem::path& file);

/// A folder with one sub-folder per class, a CSV with the columns path, label and perhaps trusted, or lines of
/// `path label [trusted]`. Paths count from the folder of the list; ids are the paths as written.
ImageList list_images(const std::filesystem::path& place, const data::NoisySource& source, ReadingNotes& notes);

/// The images of the list together with those of source.trusted: a folder, a list, or a .txt of ids, one per line. The
/// same file in both counts once, as the trusted part has it.
ImageList list_noisy_images(const data::NoisySource& source, ReadingNotes& notes);

}  // namespace moblo::lab::readers
