#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace moblo::cli {

using WatchBody = std::shared_ptr<const std::string>;

/// Answers that were made before, so that one that many ask for is made once. Those asked for within the last seconds
/// stay, up to a number of bytes.
class WatchCache {
 public:
  explicit WatchCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Empty unless it is of this version, or was made within `tolerance`.
  WatchBody find(const std::string& key, std::uint64_t version, std::chrono::milliseconds tolerance);
  void keep(const std::string& key, std::uint64_t version, WatchBody body);

 private:
  struct Answer {
    std::string key;
    std::uint64_t version = 0;
    WatchBody body;
    std::chrono::steady_clock::time_point made, asked_for;
  };
  void drop(std::list<Answer>::iterator answer);

  const std::size_t most_bytes_;
  std::mutex lock_;
  std::list<Answer> answers_;  ///< asked for last first
  std::map<std::string, std::list<Answer>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace moblo::cli
