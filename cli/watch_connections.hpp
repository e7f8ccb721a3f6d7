#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>

namespace moblo::cli {

/// The open connections, in the order in which a request on them ended last. Two rules keep the server fair: where
/// there are too many, the one that has been without an answer for longest ends; and none may take longer than
/// `patience` from one answer to the next, whether it is idle, sends a byte now and then, or does not read.
class WatchConnections {
 public:
  struct Connection {
    int socket = -1;
    std::chrono::steady_clock::time_point since;  ///< when it was opened, or its last answer was sent
    std::string target{};                         ///< of the request that is under way
    bool ending = false;
  };
  using Handle = std::list<Connection>::iterator;

  WatchConnections(std::size_t most, std::chrono::milliseconds patience) : most_(most), patience_(patience) {}

  Handle opened(int socket);
  void answered(Handle connection);
  /// Before the socket is closed: another connection may get its number at once.
  void closed(Handle connection);
  /// To be called now and then.
  void end_overdue();

 private:
  /// The server sees the end of the connection and closes it.
  void end(Connection& connection);
  void end_oldest();

  const std::size_t most_;
  const std::chrono::milliseconds patience_;
  std::mutex lock_;
  std::list<Connection> connections_;  ///< the longest without an answer first
  std::size_t ending_ = 0;
};

}  // namespace moblo::cli
