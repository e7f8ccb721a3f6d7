#include "moblo/records/digest.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "moblo/base/error.hpp"
#include "moblo/base/files.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

std::string hexadecimal(std::uint32_t value) {
  return fmt::format("{:08x}", value);
}

std::string checksum_of(const Json& document) {
  Digest digest;
  digest.add(dump_json(document));
  return hexadecimal(digest.crc);
}

}  // namespace

void Digest::add(std::string_view text) {
  crc = static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  bytes += text.size();
}

Json to_json(const Digests& digests) {
  Json json = Json::object();
  for (const auto& [name, digest] : digests) {
    json[name] = {{"bytes", digest.bytes}, {"crc32", hexadecimal(digest.crc)}};
  }
  return json;
}

Digests digests_in(const Json& document) {
  Digests all;
  if (!document.is_object() || !document.contains(digests_key) || !document[digests_key].is_object()) return all;
  for (const auto& [name, entry] : document[digests_key].items()) {
    if (!entry.is_object() || !entry.contains("bytes") || !entry["bytes"].is_number_unsigned()) continue;
    if (!entry.contains("crc32") || !entry["crc32"].is_string()) continue;
    const auto text = entry["crc32"].get<std::string>();
    Digest digest{entry["bytes"].get<std::uint64_t>(), 0};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), digest.crc, 16);
    if (failure == std::errc() && end == text.data() + text.size()) all[name] = digest;
  }
  return all;
}

Digest digest_of(const fs::path& file, std::uint64_t most_bytes) {
  Digest digest;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return digest;
  base::FileReader in(file, ErrorKind::data);
  std::string block;
  while (digest.bytes < most_bytes && in.read(block, std::min<std::uint64_t>(most_bytes - digest.bytes, 1 << 20))) {
    digest.add(block);
  }
  return digest;
}

std::string difference(const fs::path& file, const Digest& written, bool whole) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure && written.bytes == 0) return "";
  if (failure) return fmt::format("is missing; {} bytes of it were written", written.bytes);
  if (size < written.bytes) return fmt::format("has lost {} of {} bytes", written.bytes - size, written.bytes);
  if (whole && size > written.bytes) {
    return fmt::format("has {} bytes after the {} that were written", size - written.bytes, written.bytes);
  }
  if (digest_of(file, written.bytes) == written) return "";
  return fmt::format("was changed: its first {} bytes are not those that were written", written.bytes);
}

std::vector<std::string> differences(const fs::path& folder, const Digests& written, bool whole) {
  std::vector<std::string> all;
  for (const auto& [name, digest] : written) {
    const auto rule = difference(folder / name, digest, whole);
    if (!rule.empty()) all.push_back(fmt::format("{} {}", (folder / name).string(), rule));
  }
  return all;
}

std::string with_checksum(Json document) {
  document.erase(checksum_field);
  document[checksum_field] = checksum_of(document);
  return dump_json(document, 2) + "\n";
}

bool checksum_is_right(const Json& document) {
  if (!document.is_object() || !document.contains(checksum_field)) return true;
  auto rest = document;
  rest.erase(checksum_field);
  return document[checksum_field] == checksum_of(rest);
}

}  // namespace moblo::records
