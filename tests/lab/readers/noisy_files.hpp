#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lab/readers/noisy_reader.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::readers::testing {

inline std::filesystem::path write_text(const std::filesystem::path& file, const std::string& text) {
  return write_raw(file, Content(text.begin(), text.end()));
}

inline data::NoisySource source_of(const std::filesystem::path& data, const std::filesystem::path& trusted = {}) {
  data::NoisySource source;
  source.name = "made";
  source.data = data;
  source.trusted = trusted;
  return source;
}

/// What the refusal says, or "" where it was read. Anything but an Error of the data or the file system fails the test.
inline std::string refusal_of(const data::NoisySource& source) {
  try {
    read_noisy_dataset(source);
    return "";
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::data || error.kind() == ErrorKind::io) << error.what();
    return error.what();
  }
}

inline void expect_says(const std::string& said, const std::vector<std::string>& parts) {
  for (const auto& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << "\nis not in\n" << said;
}

/// The bytes of an npy file of version 1, whatever its header claims.
inline Content npy_bytes(const std::string& header, const Content& values, std::uint8_t version = 1) {
  Content out{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0};
  const std::size_t length = header.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out.push_back(static_cast<std::uint8_t>(length >> 8 * i));
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

template <class T>
Content bytes_of(const std::vector<T>& values) {
  const auto* start = reinterpret_cast<const std::uint8_t*>(values.data());
  return Content(start, start + values.size() * sizeof(T));
}

inline std::string npy_header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, fortran ? "True" : "False",
                     shape);
}

}  // namespace moblo::lab::readers::testing
