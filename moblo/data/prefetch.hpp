#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "moblo/data/batch.hpp"

namespace moblo {

/// Another stream's batches, prepared by a thread of its own while the previous ones are used. The batches are the
/// same ones: `at(k)` is the inner stream's `at(k)`, whatever the order of the calls. What the inner stream throws for
/// batch k, `at(k)` throws. Only the thread uses the inner stream.
class PrefetchedBatches : public BatchStream {
 public:
  /// At most `ahead` batches wait to be used.
  explicit PrefetchedBatches(std::unique_ptr<BatchStream> inner, std::int64_t ahead = 2);
  ~PrefetchedBatches() override;

  Batch at(std::int64_t number) override;
  std::int64_t epoch_length() const override { return epoch_length_; }

 private:
  struct Prepared {
    std::int64_t number;
    Batch batch;
    std::exception_ptr problem;
  };

  void prepare();

  std::unique_ptr<BatchStream> inner_;
  std::size_t ahead_;
  std::int64_t epoch_length_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Prepared> ready_;  ///< consecutive numbers
  std::int64_t next_ = 0;       ///< to be prepared
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace moblo
