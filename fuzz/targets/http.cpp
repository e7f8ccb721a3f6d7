#include "cli/watch_request.hpp"
#include "fuzz/target.hpp"

namespace moblo::fuzz {
namespace {

/// One run called "a/b"; all else is not there.
class OneRun : public cli::WatchContent {
 public:
  cli::WatchBody list_page() override { return text("list"); }
  cli::WatchBody list_json(std::uint64_t) override { return text("{}"); }
  cli::WatchBody run_page(const std::string& name) override { return name == "a/b" ? text("secret") : nullptr; }
  cli::WatchBody run_json(const std::string& name, std::uint64_t, const lab::report::LiveRun::Seen&) override {
    if (name == "throw") throw Error(ErrorKind::data, "a run", "cannot be read", "");
    return name == "a/b" ? text("secret") : nullptr;
  }

 private:
  static cli::WatchBody text(const char* content) { return std::make_shared<const std::string>(content); }
};

std::string line_of(Taker& taker) {
  return std::string(text_of(taker.until("\n")));
}

}  // namespace
}  // namespace moblo::fuzz

// Lines: bound address, token (may be empty), method, target, host, cookie, authorization.
MOBLO_FUZZ_TARGET(http) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const cli::WatchAccess access{fuzz::line_of(taker), fuzz::line_of(taker), "moblo-8080"};
  const cli::WatchRequest request{fuzz::line_of(taker), fuzz::line_of(taker), fuzz::line_of(taker),
                                  fuzz::line_of(taker), fuzz::line_of(taker), !taker.empty()};
  fuzz::OneRun content;
  const auto answer = cli::answer(content, access, request);
  fuzz::must(answer.status >= 200 && answer.status < 600 && answer.body, "every request is answered");
  for (const auto& [name, value] : answer.headers) {
    fuzz::must(name.find_first_of("\r\n") == name.npos, "no header within a header");
    // the token is the user's own, and checked where it is given
    fuzz::must(value.find_first_of("\r\n") == value.npos || access.token.find('\r') != access.token.npos,
               "no header within a header");
  }
  const std::string all = request.target + request.cookie + request.authorization;
  const bool knows_token = access.token.empty() || all.find(access.token) != all.npos || all.find('%') != all.npos ||
                           all.find('+') != all.npos;
  fuzz::must(*answer.body != "secret" || knows_token, "nothing is shown without the token");
  fuzz::must(answer.status != 200 || request.method == "GET" || request.method == "HEAD", "nothing can be changed");
}
