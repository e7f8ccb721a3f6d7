#include "moblo/data/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "moblo/base/error.hpp"

namespace moblo {

std::string sha256(std::span<const std::uint8_t> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::io, "SHA-256", "is not provided by the OpenSSL library of this machine",
                "Check its configuration");
  }
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256(const std::vector<std::int64_t>& indices) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(8 * indices.size());
  for (const std::int64_t index : indices) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(index) >> shift));
    }
  }
  return sha256(std::span<const std::uint8_t>(bytes));
}

}  // namespace moblo
