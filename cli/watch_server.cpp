#include "cli/watch_server.hpp"

#include <fmt/format.h>
#include <microhttpd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "cli/watch_connections.hpp"
#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

using namespace std::chrono_literals;

constexpr unsigned threads = 4;
constexpr std::size_t bytes_per_connection = 16 << 10;  ///< headers of a request and of its answer
constexpr unsigned idle_seconds = 15;                   ///< without a byte in either direction

struct Server {
  const WatchHandler& handler;
  WatchAccess access;
  WatchConnections connections;
};

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value ? value : "";
}

WatchConnections::Handle* handle_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? static_cast<WatchConnections::Handle*>(info->socket_context) : nullptr;
}

using Response = std::unique_ptr<MHD_Response, decltype(&MHD_destroy_response)>;

/// The answer shares its text with the cache: many clients of one page take no memory each.
Response response_of(const WatchAnswer& made) {
  auto* shared = new WatchBody(made.body);
  Response response(MHD_create_response_from_buffer_with_free_callback_cls(
                        (*shared)->size(), const_cast<char*>((*shared)->data()),
                        [](void* body) { delete static_cast<WatchBody*>(body); }, shared),
                    MHD_destroy_response);
  if (!response) {
    delete shared;
    return response;
  }
  const auto add = [&](const auto& headers) {
    for (const auto& [name, value] : headers) MHD_add_response_header(response.get(), name.c_str(), value.c_str());
  };
  add(security_headers());
  add(made.headers);
  if (made.status != 204) MHD_add_response_header(response.get(), "Content-Type", made.type.c_str());
  return response;
}

// What the library calls. It is C: no exception may leave these functions. MHD_NO ends the connection.

/// The request line is the only thing that the library hands out before decoding it.
void* note_target(void*, const char* target, MHD_Connection* connection) noexcept {
  auto* handle = handle_of(connection);
  try {
    if (handle) (*handle)->target = target;
  } catch (...) {
    (*handle)->target.clear();
  }
  return nullptr;
}

MHD_Result answer_request(void* of_server, MHD_Connection* connection, const char*, const char* method, const char*,
                          const char*, std::size_t*, void** state) noexcept {
  try {
    auto& server = *static_cast<Server*>(of_server);
    auto* handle = handle_of(connection);
    if (!handle) return MHD_NO;
    const auto length = header(connection, "Content-Length");
    const bool has_body = (!length.empty() && length != "0") || !header(connection, "Transfer-Encoding").empty();
    // At the first of two calls the body has not been read. An answer then keeps it from being read at all, but it also
    // ends the connection.
    const bool is_first_call = *state == nullptr;
    *state = handle;
    if (is_first_call && !has_body) return MHD_YES;
    const auto made = server.handler(
        server.access, {method, (*handle)->target, header(connection, "Host"), header(connection, "Cookie"),
                        header(connection, "Authorization"), has_body, header(connection, "Origin")});
    const auto response = response_of(made);
    if (!response) return MHD_NO;
    return MHD_queue_response(connection, static_cast<unsigned>(made.status), response.get());
  } catch (...) {
    return MHD_NO;
  }
}

void note_answered(void* of_server, MHD_Connection* connection, void**, MHD_RequestTerminationCode) noexcept {
  if (auto* handle = handle_of(connection)) static_cast<Server*>(of_server)->connections.answered(*handle);
}

void note_connection(void* of_server, MHD_Connection* connection, void** context,
                     MHD_ConnectionNotificationCode code) noexcept {
  auto& connections = static_cast<Server*>(of_server)->connections;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    try {
      *context = info ? new WatchConnections::Handle(connections.opened(info->connect_fd)) : nullptr;
    } catch (...) {
      *context = nullptr;  // its requests are refused
    }
    return;
  }
  if (auto* handle = static_cast<WatchConnections::Handle*>(*context)) {
    connections.closed(*handle);
    delete handle;
    *context = nullptr;
  }
}

}  // namespace

void serve(WatchContent& content, const WatchAddress& address, const std::string& token, const std::atomic<bool>& stop,
           const std::function<void(int)>& ready, std::chrono::milliseconds patience) {
  const WatchHandler handler = [&](const WatchAccess& access, const WatchRequest& request) {
    return answer(content, access, request);
  };
  serve(handler, address, token, stop, ready, patience);
}

void serve(const WatchHandler& handler, const WatchAddress& address, const std::string& token,
           const std::atomic<bool>& stop, const std::function<void(int)>& ready, std::chrono::milliseconds patience) {
  ListeningSocket socket(address, token.empty());
  const auto port = socket.port();
  const auto most = most_connections();
  Server server{handler, {address.host, token, fmt::format("moblo_watch_{}", port)}, {most, patience}};
  const std::unique_ptr<MHD_Daemon, decltype(&MHD_stop_daemon)> daemon(
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, nullptr, nullptr, answer_request, &server,
                       MHD_OPTION_LISTEN_SOCKET, socket.release(), MHD_OPTION_THREAD_POOL_SIZE, threads,
                       // Twice what we keep: the library stops listening at its limit, we end the oldest instead.
                       MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(2 * most), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                       bytes_per_connection, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_URI_LOG_CALLBACK,
                       note_target, nullptr, MHD_OPTION_NOTIFY_COMPLETED, note_answered, &server,
                       MHD_OPTION_NOTIFY_CONNECTION, note_connection, &server, MHD_OPTION_END),
      MHD_stop_daemon);
  if (!daemon) {
    throw Error(ErrorKind::io, "the server", "cannot be started", "Check the limits on threads and open files");
  }
  ready(port);
  while (!stop) {
    std::this_thread::sleep_for(50ms);
    server.connections.end_overdue();
  }
}

}  // namespace moblo::cli
