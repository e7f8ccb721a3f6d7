#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "cli/watch_request.hpp"
#include "cli/watch_socket.hpp"

namespace moblo::cli {

/// What is answered to a request; called from several threads.
using WatchHandler = std::function<WatchAnswer(const WatchAccess& access, const WatchRequest& request)>;

/// Serves until `stop` is set; `ready` is told the port. An empty token lets everybody in who can reach the address,
/// which must then be one of this machine alone (Error(usage)). Error(io) where the address cannot be had. A connection
/// ends that takes longer than `patience` from one answer to the next.
void serve(const WatchHandler& handler, const WatchAddress& address, const std::string& token,
           const std::atomic<bool>& stop, const std::function<void(int port)>& ready,
           std::chrono::milliseconds patience = std::chrono::seconds(30));
/// The pages of `moblo watch`.
void serve(WatchContent& content, const WatchAddress& address, const std::string& token, const std::atomic<bool>& stop,
           const std::function<void(int port)>& ready, std::chrono::milliseconds patience = std::chrono::seconds(30));

}  // namespace moblo::cli
