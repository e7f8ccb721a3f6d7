#include "cli/watch_request.hpp"

#include <fmt/format.h>

#include <charconv>

namespace moblo::cli {
namespace {

constexpr auto html = "text/html; charset=utf-8", json = "application/json", plain = "text/plain; charset=utf-8";

WatchAnswer found(WatchBody body, const char* type) {
  if (!body) return in_words(404, "There is no such run.\n");
  return {200, std::move(body), type};
}

std::optional<char> hexadecimal(std::string_view digits) {
  unsigned value = 0;
  if (digits.size() != 2) return std::nullopt;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + 2, value, 16);
  if (failure != std::errc() || end != digits.data() + 2) return std::nullopt;
  return static_cast<char>(value);
}

/// As forms and URLSearchParams encode it: %XX, and + for a space.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? hexadecimal(text.substr(i + 1, 2)) : std::nullopt;
    out += byte ? *byte : text[i] == '+' ? ' ' : text[i];
    if (byte) i += 2;
  }
  return out;
}

WatchAnswer route(WatchContent& content, const WatchTarget& target) {
  if (target.path == "/") return found(content.list_page(), html);
  if (target.path == "/run") return found(content.run_page(target.text("name")), html);
  if (target.path == "/api/runs") return found(content.list_json(target.number("version")), json);
  if (target.path == "/api/run") {
    const lab::report::LiveRun::Seen seen{target.number("restarts"), target.number("stride"), target.number("records")};
    return found(content.run_json(target.text("name"), target.number("version"), seen), json);
  }
  if (target.path == "/favicon.ico") return {204, std::make_shared<const std::string>(), plain};
  return in_words(404, "There is no such page.\n");
}

WatchAnswer refusal_of_stranger(const std::string& command) {
  auto refusal = in_words(
      401, fmt::format("This page needs a token: open the whole address that `{}` printed, or add ?token=TOKEN to this "
                       "one, or send the header Authorization: Bearer TOKEN.\n",
                       command));
  refusal.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refusal;
}

WatchAnswer refusal_of_method(bool may_change) {
  auto refusal = in_words(405, may_change ? "This cannot be done here.\n" : "Nothing can be changed here.\n");
  refusal.headers.emplace_back("Allow", may_change ? "GET, HEAD, POST" : "GET, HEAD");
  return refusal;
}

WatchAnswer answer_or_throw(WatchContent& content, const WatchAccess& access, const WatchRequest& request) {
  WatchEntry entry{};
  if (const auto refusal = refusal_of(access, request, {"moblo watch"}, entry)) return *refusal;
  auto out = route(content, parse_target(request.target));
  if (entry == WatchEntry::by_address) out.headers.emplace_back("Set-Cookie", cookie_text(access));
  return out;
}

}  // namespace

WatchAnswer in_words(int status, std::string text) {
  return {status, std::make_shared<const std::string>(std::move(text)), plain};
}

std::optional<WatchAnswer> refusal_of(const WatchAccess& access, const WatchRequest& request, const WatchDoor& door,
                                      WatchEntry& entry) {
  if (!may_be_asked_as(request.host, access.bound)) {
    return in_words(403,
                    fmt::format("This name is not known here; use the address that `{}` printed.\n", door.command));
  }
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && !(door.may_change && request.method == "POST")) return refusal_of_method(door.may_change);
  if (request.has_body) return in_words(413, "A request here has no body.\n");
  entry = entry_of(access, parse_target(request.target).text("token"), request.authorization, request.cookie);
  if (entry == WatchEntry::none) return refusal_of_stranger(door.command);
  if (!reads && request.origin != "http://" + request.host) {
    return in_words(403, fmt::format("Only the page of `{}` itself may change something.\n", door.command));
  }
  return {};
}

std::string WatchTarget::text(const std::string& name) const {
  const auto found_text = query.find(name);
  return found_text == query.end() ? "" : found_text->second;
}

std::uint64_t WatchTarget::number(const std::string& name) const {
  const auto digits = text(name);
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return failure == std::errc() && end == digits.data() + digits.size() ? value : 0;
}

WatchTarget parse_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const auto mark = target.find('?');
  WatchTarget out{std::string(target.substr(0, mark)), {}};
  auto rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    const auto value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    out.query.emplace(decoded(pair.substr(0, equals)), decoded(value));
  }
  return out;
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  // The pages' own policies are stricter still: they name each script by its hash.
  static const std::vector<std::pair<std::string, std::string>> headers{
      {"Content-Security-Policy",
       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Cache-Control", "no-store"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"}};
  return headers;
}

WatchAnswer answer(WatchContent& content, const WatchAccess& access, const WatchRequest& request) {
  try {
    return answer_or_throw(content, access, request);
  } catch (...) {
    return in_words(500, "This could not be answered; `moblo report` on the run folder says more.\n");
  }
}

}  // namespace moblo::cli
