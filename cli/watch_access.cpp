#include "cli/watch_access.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

constexpr std::size_t shortest_token = 16, longest_token = 256;
constexpr std::size_t longest_host = 255 + 6;  // RFC 1035, and a port

bool is_token(std::string_view given, std::string_view token) {
  return given.size() == token.size() && CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// RFC 6265: "a=1; b=2".
bool has_token(std::string_view cookies, std::string_view name, std::string_view token) {
  while (!cookies.empty()) {
    const auto pair = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookies.size(), pair.size() + 1));
    const auto equals = std::min(pair.find('='), pair.size());
    if (without_spaces(pair.substr(0, equals)) != name || equals == pair.size()) continue;
    if (is_token(without_spaces(pair.substr(equals + 1)), token)) return true;
  }
  return false;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, std::min(host.find(']'), host.size() - 1) + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view host) {
  unsigned char space[sizeof(in6_addr)];
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), space) == 1 || inet_pton(AF_INET6, text.c_str(), space) == 1;
}

/// Letters, digits and what RFC 3986 calls unreserved: the same in an address, a header and a cookie.
bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

WatchEntry entry_of(const WatchAccess& access, std::string_view token, std::string_view authorization,
                    std::string_view cookies) {
  constexpr std::string_view scheme = "Bearer ";
  if (access.token.empty()) return WatchEntry::open;
  if (is_token(token, access.token)) return WatchEntry::by_address;
  if (authorization.starts_with(scheme) &&
      is_token(without_spaces(authorization.substr(scheme.size())), access.token)) {
    return WatchEntry::open;
  }
  return has_token(cookies, access.cookie, access.token) ? WatchEntry::open : WatchEntry::none;
}

std::string cookie_text(const WatchAccess& access) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", access.cookie, access.token);
}

std::string drawn_token() {
  unsigned char bytes[16];
  if (getentropy(bytes, sizeof bytes) != 0) {
    throw Error(ErrorKind::io, "--token auto",
                fmt::format("no random bits can be had: {}", std::generic_category().message(errno)),
                "Give a token of your own");
  }
  std::string digits;
  for (const auto byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

void refuse_unfit_token(const std::string& token) {
  constexpr auto next = "`--token auto` draws one";
  const auto refuse = [&](const std::string& rule) { throw Error(ErrorKind::usage, "the token", rule, next); };
  if (token.size() < shortest_token || token.size() > longest_token) {
    refuse(fmt::format("has {} characters, {} to {} are needed", token.size(), shortest_token, longest_token));
  }
  if (!std::all_of(token.begin(), token.end(), is_plain)) refuse("may hold letters, digits, and - . _ ~ alone");
}

bool may_be_asked_as(std::string_view host_header, std::string_view bound) {
  if (host_header.size() > longest_host) return false;
  const auto host = without_port(host_header);
  const bool loopback = host == "localhost" || host == "127.0.0.1" || host == "[::1]";
  if (bound == "localhost" || bound == "127.0.0.1" || bound == "::1") return loopback;
  return loopback || host == bound || is_address(host);
}

}  // namespace moblo::cli
