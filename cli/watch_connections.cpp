#include "cli/watch_connections.hpp"

#include <sys/socket.h>

#include <algorithm>

namespace moblo::cli {

using Clock = std::chrono::steady_clock;

WatchConnections::Handle WatchConnections::opened(int socket) {
  const std::lock_guard guard(lock_);
  if (connections_.size() - ending_ >= most_) end_oldest();
  return connections_.insert(connections_.end(), {socket, Clock::now()});
}

void WatchConnections::answered(Handle connection) {
  const std::lock_guard guard(lock_);
  connection->since = Clock::now();
  connections_.splice(connections_.end(), connections_, connection);
}

void WatchConnections::closed(Handle connection) {
  const std::lock_guard guard(lock_);
  if (connection->ending) --ending_;
  connections_.erase(connection);
}

void WatchConnections::end_overdue() {
  const std::lock_guard guard(lock_);
  const auto now = Clock::now();
  for (auto& connection : connections_) {
    if (now - connection.since < patience_) break;
    end(connection);
  }
}

void WatchConnections::end_oldest() {
  const auto oldest =
      std::find_if(connections_.begin(), connections_.end(), [](const auto& one) { return !one.ending; });
  if (oldest != connections_.end()) end(*oldest);
}

void WatchConnections::end(Connection& connection) {
  if (connection.ending) return;
  connection.ending = true;
  ++ending_;
  shutdown(connection.socket, SHUT_RDWR);
}

}  // namespace moblo::cli
