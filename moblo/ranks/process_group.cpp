#include "moblo/ranks/process_group.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::ranks {
namespace {

using std::chrono::milliseconds;

milliseconds in_milliseconds(double seconds) {
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

/// Which ranks failed to say that they noticed a failure too.
std::string silent_ranks(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, milliseconds grace) {
  const auto key = [](int r) { return fmt::format("noticed/{}", r); };
  store->set(key(rank), std::vector<std::uint8_t>{1});
  const auto end = std::chrono::steady_clock::now() + grace;
  std::vector<std::string> silent;
  do {
    silent.clear();
    for (int r = 0; r < size; ++r) {
      if (!store->check({key(r)})) silent.push_back(std::to_string(r));
    }
    if (silent.empty()) break;
    std::this_thread::sleep_for(milliseconds(50));
  } while (std::chrono::steady_clock::now() < end);
  if (silent.empty()) return "";
  return fmt::format("{} {}", silent.size() == 1 ? "rank" : "ranks", base::join(silent));
}

/// The store is served by rank 0, or by the launcher: it may be what is gone, or have stopped to answer.
std::string lost_ranks(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, milliseconds grace) {
  std::packaged_task<std::string()> asking([=] { return silent_ranks(store, rank, size, grace); });
  auto answer = asking.get_future();
  std::thread(std::move(asking)).detach();  // may wait for a process that is stopped, for as long as it is
  if (answer.wait_for(2 * grace) != std::future_status::ready) return "rank 0";
  try {
    return answer.get();
  } catch (const std::exception&) {
    return "rank 0";
  }
}

class ProcessGroup : public Group {
 public:
  ProcessGroup(c10::intrusive_ptr<c10d::Store> store, int rank, int size, double timeout, const std::string& address)
      : store_(std::move(store)), rank_(rank), size_(size), timeout_(timeout) {
    const auto options = c10d::ProcessGroupGloo::Options::create(in_milliseconds(timeout));
    options->devices.push_back(device(address));
    told([&] { group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, rank, size, options); });
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::unique_ptr<Pending> begin_sum(const torch::Tensor& values) override {
    return std::make_unique<PendingSum>(*this, values);
  }

  std::vector<torch::Tensor> gather(const torch::Tensor& values) override {
    std::vector<torch::Tensor> mine{values.contiguous()};
    std::vector<std::vector<torch::Tensor>> all(1);
    for (int r = 0; r < size_; ++r) all.front().push_back(torch::empty_like(mine.front()));
    told([&] { group_->allgather(all, mine)->wait(); });
    return std::move(all.front());
  }

  void broadcast(const torch::Tensor& values, int from) override {
    std::vector<torch::Tensor> tensors{values.contiguous()};
    c10d::BroadcastOptions options;
    options.rootRank = from;
    told([&] { group_->broadcast(tensors, options)->wait(); });
    if (!tensors.front().is_same(values)) values.copy_(tensors.front());
  }

  void barrier() override {
    told([&] { group_->barrier()->wait(); });
  }

 private:
  class PendingSum : public Pending {
   public:
    PendingSum(ProcessGroup& group, const torch::Tensor& values)
        : group_(group), values_(values), tensors_{values.contiguous()} {
      group_.told([&] { work_ = group_.group_->allreduce(tensors_); });
    }
    void wait() override {
      group_.told([&] { work_->wait(); });
      if (!tensors_.front().is_same(values_)) values_.copy_(tensors_.front());
    }

   private:
    ProcessGroup& group_;
    torch::Tensor values_;
    std::vector<torch::Tensor> tensors_;
    decltype(std::declval<c10d::ProcessGroupGloo>().allreduce(std::declval<std::vector<torch::Tensor>&>())) work_;
  };

  /// Where the others reach this process.
  static std::shared_ptr<::gloo::transport::Device> device(const std::string& address) {
    if (const auto* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
      return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
    }
    const bool one_machine = address == "localhost" || address.starts_with("127.");
    return one_machine ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                       : c10d::ProcessGroupGloo::createDefaultDevice();
  }

  template <class Call>
  void told(const Call& call) {
    try {
      call();
    } catch (const std::exception& error) {
      const auto grace = std::min(in_milliseconds(timeout_), milliseconds(3000));
      const auto lost = lost_ranks(store_, rank_, size_, grace);
      const auto first = first_line(error);
      throw Error(ErrorKind::ranks, lost.empty() ? fmt::format("rank {} of {}", rank_, size_) : lost,
                  lost.empty() ? fmt::format("lost the connection to the others: {}", first)
                               : fmt::format("has gone, or has not answered for {}", base::human_seconds(timeout_)),
                  "See what that process has written, then start all of them again with --resume; a step that takes "
                  "longer needs a larger time-out");
    }
  }

  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  int rank_, size_;
  double timeout_;
};

c10::intrusive_ptr<c10d::Store> store_of(const Place& place, double timeout) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.store_is_served;
  options.numWorkers = place.size;
  options.waitWorkers = false;
  options.timeout = in_milliseconds(timeout);
  try {
    return c10::make_intrusive<c10d::PrefixStore>("moblo", c10::make_intrusive<c10d::TCPStore>(place.address, options));
  } catch (const std::exception& error) {
    const auto first = first_line(error);
    throw Error(ErrorKind::ranks,
                fmt::format("rank {} of {} at {}:{}", place.rank, place.size, place.address, place.port),
                options.isServer ? fmt::format("cannot be met there: {}", first)
                                 : fmt::format("has not met rank 0 there: {}", first),
                options.isServer ? "Set MASTER_PORT to a port that is free"
                                 : "Check that rank 0 runs, and MASTER_ADDR and MASTER_PORT");
  }
}

}  // namespace

std::unique_ptr<Group> connect(const Place& place, double timeout) {
  return std::make_unique<ProcessGroup>(store_of(place, timeout), place.rank, place.size, timeout, place.address);
}

void run_as_threads(int size, const std::function<void(Group&)>& body, double timeout) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::mutex first_error;
  std::exception_ptr error;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ProcessGroup group(store, rank, size, timeout, "127.0.0.1");
        body(group);
      } catch (...) {
        const std::scoped_lock lock(first_error);
        if (!error) error = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace moblo::ranks
