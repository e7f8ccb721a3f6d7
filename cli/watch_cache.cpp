#include "cli/watch_cache.hpp"

namespace moblo::cli {
namespace {

constexpr std::chrono::seconds stays_cached{10};

}  // namespace

WatchBody WatchCache::find(const std::string& key, std::uint64_t version, std::chrono::milliseconds tolerance) {
  const std::lock_guard guard(lock_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  auto& answer = *found->second;
  const auto now = std::chrono::steady_clock::now();
  if (answer.version != version && now - answer.made >= tolerance) return nullptr;
  answer.asked_for = now;
  answers_.splice(answers_.begin(), answers_, found->second);
  return answer.body;
}

void WatchCache::keep(const std::string& key, std::uint64_t version, WatchBody body) {
  const std::lock_guard guard(lock_);
  if (const auto old = by_key_.find(key); old != by_key_.end()) drop(old->second);
  if (body->size() > most_bytes_) return;
  const auto now = std::chrono::steady_clock::now();
  bytes_ += body->size();
  answers_.push_front({key, version, std::move(body), now, now});
  by_key_[key] = answers_.begin();
  while (bytes_ > most_bytes_ || now - answers_.back().asked_for > stays_cached) drop(std::prev(answers_.end()));
}

void WatchCache::drop(std::list<Answer>::iterator answer) {
  bytes_ -= answer->body->size();
  by_key_.erase(answer->key);
  answers_.erase(answer);
}

}  // namespace moblo::cli
