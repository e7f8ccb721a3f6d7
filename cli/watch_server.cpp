#include "cli/watch_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <chrono>

#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

using httplib::Request;
using httplib::Response;

/// The pages' own policies are stricter still: they name each script by its hash.
const httplib::Headers headers{
    {"Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"}};

std::uint64_t number(const Request& request, const char* key) {
  const auto text = request.get_param_value(key);
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? value : 0;
}

void answer(Response& response, const std::string& content, const char* type) {
  if (content.empty()) {
    response.status = 404;
    response.set_content("There is no such run.\n", "text/plain; charset=utf-8");
    return;
  }
  response.set_content(content, type);
}

std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string host) {
  unsigned char space[sizeof(in6_addr)];
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return inet_pton(AF_INET, host.c_str(), space) == 1 || inet_pton(AF_INET6, host.c_str(), space) == 1;
}

void refuse(Response& response, int status, const char* text) {
  response.status = status;
  response.set_content(text, "text/plain; charset=utf-8");
}

void set_routes(httplib::Server& server, Watch& watch, const std::string& bound) {
  constexpr auto html = "text/html; charset=utf-8", json = "application/json";
  server.set_pre_routing_handler([bound](const Request& request, Response& response) {
    using Outcome = httplib::Server::HandlerResponse;
    for (const auto& [key, value] : headers) response.set_header(key.c_str(), value);
    if (!may_be_asked_as(request.get_header_value("Host"), bound)) {
      refuse(response, 403, "This name is not known here; use the address that `moblo watch` printed.\n");
      return Outcome::Handled;
    }
    if (request.method != "GET" && request.method != "HEAD") {
      refuse(response, 405, "Nothing can be changed here.\n");
      return Outcome::Handled;
    }
    return Outcome::Unhandled;
  });
  server.Get("/", [&watch](const Request&, Response& response) { answer(response, watch.list_page(), html); });
  server.Get("/run", [&watch](const Request& request, Response& response) {
    answer(response, watch.run_page_html(request.get_param_value("name")), html);
  });
  server.Get("/api/runs", [&watch](const Request& request, Response& response) {
    answer(response, watch.list_json(number(request, "version")), json);
  });
  server.Get("/api/run", [&watch](const Request& request, Response& response) {
    const lab::report::LiveRun::Seen seen{number(request, "restarts"), number(request, "stride"),
                                          number(request, "records")};
    answer(response, watch.run_json(request.get_param_value("name"), number(request, "version"), seen), json);
  });
  server.Get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
  server.set_exception_handler([](const Request&, Response& response, std::exception_ptr) {
    refuse(response, 500, "This could not be read; `moblo report` says why.\n");
  });
}

}  // namespace

bool may_be_asked_as(const std::string& host_header, const std::string& bound) {
  const auto host = without_port(host_header);
  const bool loopback = host == "localhost" || host == "127.0.0.1" || host == "[::1]";
  if (bound == "localhost" || bound == "127.0.0.1" || bound == "::1") return loopback;
  return loopback || host == bound || is_address(host);
}

void serve(Watch& watch, const WatchAddress& address, const std::atomic<bool>& stop,
           const std::function<void(int)>& ready) {
  httplib::Server server;
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1000);
  server.set_keep_alive_timeout(2);  // a page asks every second; Ctrl-C waits for no more than this
  server.set_payload_max_length(1 << 10);
  set_routes(server, watch, address.host);
  int port = address.port;
  const bool bound =
      port == 0 ? (port = server.bind_to_any_port(address.host)) > 0 : server.bind_to_port(address.host, port);
  if (!bound) {
    throw Error(ErrorKind::io, fmt::format("{}:{}", address.host, address.port), "cannot be listened on",
                "Choose another --port, or 0 for any that is free");
  }
  ready(port);
  std::atomic<bool> ended{false};
  std::thread ender([&] {
    while (!ended && !(stop && server.is_running())) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    server.stop();
  });
  server.listen_after_bind();
  ended = true;
  ender.join();
}

}  // namespace moblo::cli
