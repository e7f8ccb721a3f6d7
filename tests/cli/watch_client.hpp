#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <regex>
#include <string>

#include "tests/system/program.hpp"

namespace moblo::system_test {

/// One connection to the server, on which anything may be sent.
class WatchClient {
 public:
  explicit WatchClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~WatchClient() { ::close(socket_); }
  WatchClient(const WatchClient&) = delete;
  WatchClient& operator=(const WatchClient&) = delete;

  bool connected() const { return connected_; }

  /// False where the server has ended the connection.
  bool send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const auto count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  /// Head and body of one answer; what came until the end where the server ended it.
  std::string answer() {
    std::string text;
    while (true) {
      const auto head = text.find("\r\n\r\n");
      std::smatch length;
      if (head != std::string::npos) {
        const auto fields = text.substr(0, head);
        if (!std::regex_search(fields, length, std::regex("Content-Length: ([0-9]+)"))) return text;
        if (text.size() >= head + 4 + std::stoul(length[1])) return text;
      }
      if (!take(text)) return text;
    }
  }

  /// Whether the server ends it within the patience of the tests.
  bool ends() {
    std::string ignored;
    while (take(ignored)) {
    }
    return ended_;
  }

  std::string get(const std::string& target, const std::string& headers = "") {
    send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n");
    return answer();
  }

 private:
  bool take(std::string& text) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(patience).count())) <= 0) return false;
    char block[1 << 16];
    const auto count = ::recv(socket_, block, sizeof block, 0);
    ended_ = count <= 0;
    if (count > 0) text.append(block, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  bool connected_ = false, ended_ = false;
};

/// `moblo watch` on any free port.
class WatchServer {
 public:
  explicit WatchServer(const std::filesystem::path& root, const Invocation& more = {})
      : child_(on_any_port(root, more)) {
    std::smatch found;
    const bool ready = wait_until([&] {
      told_ = child_.out();
      return std::regex_search(told_, found, std::regex(":([0-9]+)/\\S* ")) || child_.ended();
    });
    if (ready && !found.empty()) port_ = std::stoi(found[1]);
    EXPECT_GT(port_, 0) << told_;
  }

  int port() const { return port_; }
  const std::string& told() const { return told_; }
  std::string get(const std::string& target, const std::string& headers = "") const {
    return WatchClient(port_).get(target, headers);
  }
  Result stop(int signal = SIGTERM) {
    child_.send(signal);
    return child_.wait();
  }

 private:
  static Invocation on_any_port(const std::filesystem::path& root, Invocation invocation) {
    const std::vector<std::string> first{"watch", root.string(), "--port", "0"};
    invocation.arguments.insert(invocation.arguments.begin(), first.begin(), first.end());
    return invocation;
  }

  Child child_;
  int port_ = 0;
  std::string told_;
};

}  // namespace moblo::system_test
