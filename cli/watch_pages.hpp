#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/watch_request.hpp"
#include "lab/report/watched_folder.hpp"

namespace moblo::cli {

/// What the pages of `moblo watch` are made of. A thread of its own looks for news; answers come from memory, but for
/// the first piece of a run that nobody has asked for yet. A run that cannot be read has a page that says why.
class Watch : public WatchContent {
 public:
  explicit Watch(const std::filesystem::path& root);
  ~Watch() override;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  WatchBody list_page() override;
  WatchBody list_json(std::uint64_t known_version) override;
  WatchBody run_page(const std::string& name) override;
  WatchBody run_json(const std::string& name, std::uint64_t known_version,
                     const lab::report::LiveRun::Seen& seen) override;

 private:
  struct OpenRun;
  /// Made by the looking thread, then never changed.
  struct RunList {
    std::uint64_t version = 0;
    WatchBody page, json;
    lab::report::WatchedFolder::Folders folders;
    std::filesystem::path root;
  };

  void look_around();
  void refresh_list();
  bool read_open_runs();
  std::shared_ptr<const RunList> list();
  /// Opens it where it is not; the runs that were asked for last stay open.
  std::shared_ptr<OpenRun> open(const std::string& name);

  const std::string library_;
  WatchCache cache_;
  lab::report::WatchedFolder folder_;  ///< of the looking thread alone

  std::mutex lock_;  ///< of what follows; never held while a disk is waited for
  std::shared_ptr<const RunList> list_;
  std::list<std::shared_ptr<OpenRun>> open_;
  bool ending_ = false;
  std::condition_variable wake_;
  std::thread looker_;
};

}  // namespace moblo::cli
