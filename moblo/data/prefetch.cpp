#include "moblo/data/prefetch.hpp"

#include <algorithm>

namespace moblo {

PrefetchedBatches::PrefetchedBatches(std::unique_ptr<BatchStream> inner, std::int64_t ahead)
    : inner_(std::move(inner)),
      ahead_(static_cast<std::size_t>(std::max<std::int64_t>(ahead, 1))),
      epoch_length_(inner_->epoch_length()),
      thread_([this] { prepare(); }) {}

PrefetchedBatches::~PrefetchedBatches() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

/// A batch that was begun before a jump is not put into the row: its number is no longer the next one.
void PrefetchedBatches::prepare() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || ready_.size() < ahead_; });
    if (ending_) return;
    Prepared prepared{next_, {}, nullptr};
    lock.unlock();
    try {
      prepared.batch = inner_->at(prepared.number);
    } catch (...) {
      prepared.problem = std::current_exception();
    }
    lock.lock();
    if (prepared.number != next_) continue;
    ready_.push_back(std::move(prepared));
    ++next_;
    changed_.notify_all();
  }
}

Batch PrefetchedBatches::at(std::int64_t number) {
  std::unique_lock lock(mutex_);
  while (!ready_.empty() && ready_.front().number < number) ready_.pop_front();
  const bool on_the_way = ready_.empty() ? number == next_ : ready_.front().number == number;
  if (!on_the_way) {
    ready_.clear();
    next_ = number;
  }
  changed_.notify_all();
  changed_.wait(lock, [&] { return !ready_.empty(); });
  Prepared prepared = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  if (prepared.problem) std::rethrow_exception(prepared.problem);
  return std::move(prepared.batch);
}

}  // namespace moblo
