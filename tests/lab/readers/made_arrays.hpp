#pragma once

#include <zip.h>

#include <utility>

#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::testing {

using Members = std::vector<std::pair<std::string, Content>>;

/// The members of an npz archive.
inline std::filesystem::path write_zip(const std::filesystem::path& file, const Members& members,
                                       bool deflated = false) {
  std::filesystem::remove(file);
  zip_t* zip = zip_open(file.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(zip, content.data(), content.size(), 0);
    const std::int64_t at = zip_file_add(zip, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(zip, static_cast<std::uint64_t>(at), deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 9);
  }
  EXPECT_EQ(zip_close(zip), 0);
  return file;
}

template <class T>
Content array(const std::string& descr, const std::string& shape, const std::vector<T>& values) {
  return npy_bytes(npy_header(descr, shape), bytes_of(values));
}

}  // namespace moblo::lab::readers::testing
