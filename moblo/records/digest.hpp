#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::records {

/// Length and CRC-32 of what stands in a file: against damage, not against somebody who means to forge.
struct Digest {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;

  void add(std::string_view text);
  bool operator==(const Digest&) const = default;
};

/// By the file's name in its folder.
using Digests = std::map<std::string, Digest>;

Json to_json(const Digests& digests);
/// Those that stand in a document or a state under `digests_key`; entries of another form are left out.
constexpr const char* digests_key = "records";
Digests digests_in(const Json& document);

/// Of the first `most_bytes` bytes of a file, of fewer where it is shorter; of nothing where it is missing.
Digest digest_of(const std::filesystem::path& file, std::uint64_t most_bytes = UINT64_MAX);

/// What is wrong with the first bytes of a file, in words ("lost 120 of 400 bytes"); empty where they are as written.
/// `whole`: nothing may follow them.
std::string difference(const std::filesystem::path& file, const Digest& written, bool whole);

/// The same for several files of a folder, each entry with the file's path.
std::vector<std::string> differences(const std::filesystem::path& folder, const Digests& written, bool whole);

/// A document of the program's own with the checksum of the rest as its last field.
constexpr const char* checksum_field = "checksum";
std::string with_checksum(Json document);
/// Of a document that has one: whether it is right. True where there is none: older versions wrote none.
bool checksum_is_right(const Json& document);

}  // namespace moblo::records
