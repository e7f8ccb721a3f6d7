#include "lab/data/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "moblo/base/error.hpp"

namespace moblo::lab::data {

namespace {

void check(int outcome) {
  if (outcome == 1) return;
  throw Error(ErrorKind::io, "SHA-256", "is not provided by the OpenSSL library of this machine",
              "Check its configuration");
}

}  // namespace

struct Digest::Context {
  EVP_MD_CTX* of_openssl = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(of_openssl); }
};

Digest::Digest() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->of_openssl, EVP_sha256(), nullptr));
}

Digest::~Digest() = default;

void Digest::add(const void* bytes, std::size_t count) {
  check(EVP_DigestUpdate(context_->of_openssl, bytes, count));
}

std::string Digest::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  check(EVP_DigestFinal_ex(context_->of_openssl, digest.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256(std::span<const std::uint8_t> bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.text();
}

std::string sha256(std::string_view text) {
  Digest digest;
  digest.add(text.data(), text.size());
  return digest.text();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Digest digest;
  std::vector<char> piece(1 << 18);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    digest.add(piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) throw Error(ErrorKind::io, file.string(), "cannot be read", "Check its permissions");
  return digest.text();
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

}  // namespace moblo::lab::data
