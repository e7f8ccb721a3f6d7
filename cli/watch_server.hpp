#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "lab/report/live_run.hpp"
#include "lab/report/watched_folder.hpp"

namespace moblo::cli {

/// What the pages of `moblo watch` are made of. A thread of its own looks for news; answers come from memory.
class Watch {
 public:
  explicit Watch(std::filesystem::path root);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::string list_page();
  std::string list_json(std::uint64_t known_version);
  /// Empty for a run that is not in the list.
  std::string run_page_html(const std::string& name);
  std::string run_json(const std::string& name, std::uint64_t known_version, const lab::report::LiveRun::Seen& seen);

 private:
  struct OpenRun {
    std::string name;
    std::mutex lock;
    lab::report::LiveRun run;
    bool reading = true;

    OpenRun(const std::string& run_name, const std::filesystem::path& folder) : name(run_name), run(run_name, folder) {}
  };

  void look_around();
  /// Opens it where it is not; the runs that were asked for last stay open.
  std::shared_ptr<OpenRun> open(const std::string& name);

  std::filesystem::path root_;
  std::string library_;
  std::mutex lock_;
  lab::report::WatchedFolder folder_;
  std::list<std::shared_ptr<OpenRun>> open_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread looker_;
};

struct WatchAddress {
  std::string host;
  int port = 0;  ///< 0: any that is free
};

/// Serves until `stop` is set; `ready` is told the port. Error(io) where the address cannot be had.
void serve(Watch& watch, const WatchAddress& address, const std::atomic<bool>& stop,
           const std::function<void(int)>& ready);

/// Whether a browser that was sent here by that name may be answered: pages elsewhere may not read this one by giving
/// its address a name of theirs. `bound` is the address that is served.
bool may_be_asked_as(const std::string& host_header, const std::string& bound);

}  // namespace moblo::cli
