#pragma once

#include <string>

namespace moblo::cli {

struct WatchAddress {
  std::string host;
  int port = 0;  ///< 0: any that is free
};

/// A socket that listens, closed with its owner. Error(io) where the address cannot be had.
class ListeningSocket {
 public:
  /// With `loopback_only`, Error(usage) for an address that other machines can reach.
  ListeningSocket(const WatchAddress& address, bool loopback_only);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int descriptor() const { return descriptor_; }
  int port() const;
  /// The caller closes it from here on.
  int release();

 private:
  int descriptor_ = -1;
};

/// How many connections this process may hold; it takes as many files as it is allowed to.
std::size_t most_connections();

}  // namespace moblo::cli
