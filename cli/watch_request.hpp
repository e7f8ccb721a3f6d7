#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/watch_access.hpp"
#include "cli/watch_cache.hpp"
#include "lab/report/live_run.hpp"

namespace moblo::cli {

/// What pages are made of. A body is empty for a run that is not in the list. Called from several threads.
class WatchContent {
 public:
  virtual ~WatchContent() = default;
  virtual WatchBody list_page() = 0;
  virtual WatchBody list_json(std::uint64_t known_version) = 0;
  virtual WatchBody run_page(const std::string& name) = 0;
  virtual WatchBody run_json(const std::string& name, std::uint64_t known_version,
                             const lab::report::LiveRun::Seen& seen) = 0;
};

/// As it came over the wire, nothing decoded; absent headers are empty.
struct WatchRequest {
  std::string method, target, host, cookie, authorization;
  bool has_body = false;
  std::string origin{};
};

struct WatchAnswer {
  int status = 200;
  WatchBody body;
  std::string type;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< besides those of every answer
};

WatchAnswer in_words(int status, std::string text);
/// What is served, and to whom.
struct WatchDoor {
  std::string command;      ///< has printed the right address
  bool may_change = false;  ///< POST is let in as well, from the page itself
};
/// The refusal of a request that may not come in; nothing for one that may, and then how it did.
std::optional<WatchAnswer> refusal_of(const WatchAccess& access, const WatchRequest& request, const WatchDoor& door,
                                      WatchEntry& entry);

/// Never throws but for want of memory: whatever goes wrong is an answer too.
WatchAnswer answer(WatchContent& content, const WatchAccess& access, const WatchRequest& request);

/// Headers of every answer: the browser may do with a page what it needs, and nothing else.
const std::vector<std::pair<std::string, std::string>>& security_headers();

/// "/run?name=a%2Fb" is the path "/run" and {"name": "a/b"}; of a name that is given twice the first counts. A '%'
/// without two hexadecimal digits stands for itself.
struct WatchTarget {
  std::string path;
  std::map<std::string, std::string> query;

  /// Empty where it is not given.
  std::string text(const std::string& name) const;
  /// 0 where it is not given, or no number.
  std::uint64_t number(const std::string& name) const;
};
WatchTarget parse_target(std::string_view target);

}  // namespace moblo::cli
