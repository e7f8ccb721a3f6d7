#include "cli/watch_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

constexpr int backlog = 1024;
constexpr std::size_t wanted_connections = 4000, files_for_records = 100;

[[noreturn]] void refuse_address(const WatchAddress& address, const std::string& reason) {
  throw Error(ErrorKind::io, fmt::format("{}:{}", address.host, address.port),
              fmt::format("cannot be listened on: {}", reason), "Choose another --port, or 0 for any that is free");
}

std::string reason_of(int number) {
  return std::generic_category().message(number);
}

using AddressInfo = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressInfo resolved(const WatchAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const auto failure = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failure != 0) {
    throw Error(ErrorKind::io, fmt::format("--host {}", address.host),
                fmt::format("is no address of this machine: {}", gai_strerror(failure)),
                "Leave it out for this machine alone, or name one of its addresses");
  }
  return {found, freeaddrinfo};
}

bool is_loopback(const addrinfo& info) {
  if (info.ai_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in*>(info.ai_addr)->sin_addr.s_addr) >> 24) == 127;
  }
  return info.ai_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(info.ai_addr)->sin6_addr);
}

}  // namespace

ListeningSocket::ListeningSocket(const WatchAddress& address, bool loopback_only) {
  const auto info = resolved(address);
  if (loopback_only && !is_loopback(*info)) {
    throw Error(ErrorKind::usage, fmt::format("--host {}", address.host),
                "can be reached from other machines, so that a token is needed",
                "Add --token auto, which draws one and prints the address with it, or set MOBLO_WATCH_TOKEN");
  }
  descriptor_ = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor_ < 0) refuse_address(address, reason_of(errno));
  const int on = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor_, info->ai_addr, info->ai_addrlen) != 0 || listen(descriptor_, backlog) != 0) {
    const auto number = errno;
    close(release());
    refuse_address(address, reason_of(number));
  }
}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

int ListeningSocket::port() const {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  in_port_t number = 0;  // at the same place in both families
  std::memcpy(&number, reinterpret_cast<const char*>(&bound) + offsetof(sockaddr_in, sin_port), sizeof number);
  return ntohs(number);
}

int ListeningSocket::release() {
  return std::exchange(descriptor_, -1);
}

std::size_t most_connections() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted_connections / 10;
  const rlim_t wanted = wanted_connections + files_for_records;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = std::min(wanted, files.rlim_max);
    setrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_NOFILE, &files);
  }
  const auto allowed = static_cast<std::size_t>(std::min(files.rlim_cur, wanted));
  return allowed > 2 * files_for_records ? allowed - files_for_records : allowed / 2;
}

}  // namespace moblo::cli
