#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <zlib.h>

#include "moblo/base/error.hpp"

namespace moblo::lab::readers::testing {

/// Removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "moblo-data-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What the refusal says, or "" where it was read.
template <class Read>
std::string refusal_when(const Read& read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

using Content = std::vector<std::uint8_t>;

/// The bytes of an IDX file with these sizes in its header and `values` after it, whether they agree or not.
inline Content idx_bytes(const std::vector<std::uint32_t>& sizes, const Content& values, std::uint8_t type = 8) {
  Content out{0, 0, type, static_cast<std::uint8_t>(sizes.size())};
  for (const auto size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(size >> shift));
  }
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

inline std::filesystem::path write_raw(const std::filesystem::path& file, const Content& content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  return file;
}

inline std::filesystem::path write_gzip(const std::filesystem::path& file, const Content& content) {
  std::filesystem::create_directories(file.parent_path());
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  return file;
}

/// A dataset that a small network can learn: class c lights up pixel c of an image of 4 x 4, on a little noise.
inline void make_dataset(const std::filesystem::path& folder, std::uint32_t count, std::uint8_t shift) {
  Content pixels, labels;
  std::uint32_t state = 12345 + shift;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>(i % 10);
    labels.push_back(label);
    for (int pixel = 0; pixel < 16; ++pixel) {
      state = state * 1664525 + 1013904223;
      pixels.push_back(static_cast<std::uint8_t>((state >> 24) / 4 + (pixel == (label + shift) % 16 ? 190 : 0)));
    }
  }
  for (const char* part : {"train", "t10k"}) {
    const std::string stem = part;
    write_raw(folder / (stem + "-images-idx3-ubyte"), idx_bytes({count, 4, 4}, pixels));
    write_gzip(folder / (stem + "-labels-idx1-ubyte.gz"), idx_bytes({count}, labels));
  }
}

/// Both datasets of hyper-cleaning, in the layout of a data directory.
inline void make_data_directory(const std::filesystem::path& directory, std::uint32_t count = 300) {
  make_dataset(directory / "mnist", count, 0);
  make_dataset(directory / "fashion-mnist", count, 5);
}

}  // namespace moblo::lab::readers::testing
