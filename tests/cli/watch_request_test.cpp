#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "cli/watch_server.hpp"
#include "moblo/base/error.hpp"
#include "tests/cli/watch_client.hpp"

namespace moblo::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto secret = "0123456789abcdef0123456789abcdef";

/// Says which page was asked for, and with what.
class FakePages : public WatchContent {
 public:
  WatchBody list_page() override { return body("list"); }
  WatchBody list_json(std::uint64_t version) override { return body("runs after " + std::to_string(version)); }
  WatchBody run_page(const std::string& name) override {
    if (name == "throws") throw std::bad_alloc();
    return name == "absent" ? nullptr : body("run " + name);
  }
  WatchBody run_json(const std::string& name, std::uint64_t version, const lab::report::LiveRun::Seen& seen) override {
    return body(name + " after " + std::to_string(version) + ", " + std::to_string(seen.restarts) + ", " +
                std::to_string(seen.stride) + ", " + std::to_string(seen.records));
  }

 private:
  static WatchBody body(std::string text) { return std::make_shared<const std::string>(std::move(text)); }
};

class WatchRequests : public testing::Test {
 protected:
  WatchAnswer get(const std::string& target) { return put({"GET", target, "127.0.0.1:8420", "", ""}); }
  WatchAnswer put(const WatchRequest& request) { return answer(pages, access, request); }

  FakePages pages;
  WatchAccess access{"127.0.0.1", "", "moblo_watch_8420"};
};

std::string header_of(const WatchAnswer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(WatchTargets, AreDecoded) {
  const auto target = parse_target("/run?name=a%2Fb+c%C3%A4&version=12&version=13&empty=&flag#part");
  EXPECT_EQ(target.path, "/run");
  EXPECT_EQ(target.text("name"), "a/b c\xC3\xA4");
  EXPECT_EQ(target.number("version"), 12u);
  EXPECT_EQ(target.text("empty"), "");
  EXPECT_TRUE(target.query.contains("flag"));
  EXPECT_FALSE(target.query.contains("part"));
}

TEST(WatchTargets, OfAnyTextAreTakenAsTheyStand) {
  EXPECT_EQ(parse_target("/?a=%&b=%4&c=%zz&d=%+1&e=100%").query,
            (std::map<std::string, std::string>{{"a", "%"}, {"b", "%4"}, {"c", "%zz"}, {"d", "% 1"}, {"e", "100%"}}));
  EXPECT_EQ(parse_target("").path, "");
  EXPECT_EQ(parse_target("?&&=&=x").text(""), "");
  for (const auto* text : {"-1", "1.5", "99999999999999999999", "0x10", "", " 1"}) {
    EXPECT_EQ(parse_target(std::string("/?n=") + text).number("n"), 0u) << text;
  }
}

TEST_F(WatchRequests, GoToTheirPages) {
  EXPECT_EQ(*get("/").body, "list");
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_EQ(*get("/run?name=a%2Fb").body, "run a/b");
  EXPECT_EQ(*get("/api/runs?version=7").body, "runs after 7");
  EXPECT_EQ(*get("/api/run?name=x&version=1&restarts=2&stride=3&records=4").body, "x after 1, 2, 3, 4");
  EXPECT_EQ(get("/api/run?name=x").type, "application/json");
  EXPECT_EQ(get("/favicon.ico").status, 204);
  EXPECT_EQ(put({"HEAD", "/", "localhost", "", ""}).status, 200);
}

TEST_F(WatchRequests, ThatLeadNowhereAreToldSo) {
  for (const auto* target : {"/run?name=absent", "/etc/passwd", "/../x", "", "*", "http://127.0.0.1/", "//"}) {
    EXPECT_EQ(get(target).status, 404) << target;
  }
  const auto failed = get("/run?name=throws");
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(*failed.body, HasSubstr("moblo report"));
}

TEST_F(WatchRequests, ThatWouldChangeAnythingAreRefused) {
  for (const auto* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""}) {
    const auto refusal = put({method, "/", "localhost", "", ""});
    EXPECT_EQ(refusal.status, 405) << method;
    EXPECT_EQ(header_of(refusal, "Allow"), "GET, HEAD");
  }
  EXPECT_EQ(put({"GET", "/", "localhost", "", "", true}).status, 413);
}

TEST_F(WatchRequests, ByAnotherNameAreRefused) {
  for (const auto* host :
       {"evil.example", "evil.example:8420", "127.0.0.1.evil.example", "", "[", "[::2]", "10.0.0.1"}) {
    EXPECT_EQ(put({"GET", "/", host, "", ""}).status, 403) << host;
  }
  EXPECT_EQ(put({"GET", "/", std::string(5000, 'a'), "", ""}).status, 403);
  for (const auto* host : {"127.0.0.1", "localhost:1", "[::1]:8420"}) EXPECT_TRUE(may_be_asked_as(host, "127.0.0.1"));
  EXPECT_TRUE(may_be_asked_as("10.0.0.1:8420", "0.0.0.0"));
  EXPECT_FALSE(may_be_asked_as("evil.example", "0.0.0.0"));
  EXPECT_TRUE(may_be_asked_as("node7:8420", "node7"));
}

TEST_F(WatchRequests, WithoutTheTokenAreRefused) {
  access.token = secret;
  const auto wrong = "0123456789abcdef0123456789abcdeX";
  const auto cookie = [](const std::string& name, const std::string& value) { return "a=1; " + name + "=" + value; };
  for (const WatchRequest& request : {
           WatchRequest{"GET", "/", "localhost", "", ""},
           {"GET", std::string("/?token=") + wrong, "localhost", "", ""},
           {"GET", std::string("/?token=") + secret + "0", "localhost", "", ""},
           {"GET", "/?token=", "localhost", "", ""},
           {"GET", "/", "localhost", cookie("moblo_watch_8420", wrong), ""},
           {"GET", "/", "localhost", cookie("moblo_watch_8421", secret), ""},
           {"GET", "/", "localhost", "moblo_watch_8420", ""},
           {"GET", "/", "localhost", "; ;=;", std::string("Bearer ") + wrong},
           {"GET", "/favicon.ico", "localhost", "", secret},
       }) {
    const auto refusal = put(request);
    EXPECT_EQ(refusal.status, 401) << request.target << request.cookie << request.authorization;
    EXPECT_THAT(*refusal.body, Not(HasSubstr(secret)));
    EXPECT_EQ(header_of(refusal, "Set-Cookie"), "");
  }
}

TEST_F(WatchRequests, WithTheTokenAreAnswered) {
  access.token = secret;
  const auto first = get(std::string("/run?name=a&token=") + secret);
  EXPECT_EQ(*first.body, "run a");
  const auto cookie = header_of(first, "Set-Cookie");
  EXPECT_EQ(cookie, std::string("moblo_watch_8420=") + secret + "; Path=/; HttpOnly; SameSite=Strict");
  const auto sent_back = "other=1; " + cookie.substr(0, cookie.find(';'));
  const auto second = put({"GET", "/api/runs", "localhost", sent_back, ""});
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(header_of(second, "Set-Cookie"), "");
  EXPECT_EQ(put({"GET", "/", "localhost", "", std::string("Bearer ") + secret}).status, 200);
}

/// One byte now and then keeps a connection from being idle; the library itself would wait for its header without end.
TEST_F(WatchRequests, ThatTrickleAreEndedAndOthersAnswered) {
  std::atomic<bool> stop{false};
  std::promise<int> port;
  std::thread server([&] {
    serve(
        pages, {"127.0.0.1", 0}, "", stop, [&](int found) { port.set_value(found); }, std::chrono::milliseconds(300));
  });
  const auto number = port.get_future().get();
  system_test::WatchClient trickling(number);
  trickling.send("GET / HTTP/1.1\r\nX-Slow: ");
  EXPECT_TRUE(system_test::wait_until([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !trickling.send("x");
  }));
  EXPECT_THAT(system_test::WatchClient(number).get("/"), testing::EndsWith("list"));
  stop = true;
  server.join();
}

TEST(WatchTokens, AreHardToGuess) {
  const auto token = drawn_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_NE(token, drawn_token());
  EXPECT_NO_THROW(refuse_unfit_token(token));
  for (const auto& bad : {std::string("short"), std::string(257, 'a'), std::string("sixteen characters"),
                          std::string("0123456789abcde;"), std::string("0123456789abcd\xC3\xA4")}) {
    EXPECT_THROW(refuse_unfit_token(bad), Error) << bad;
  }
}

TEST(WatchCaches, KeepWhatIsAskedForWithinTheirSize) {
  using namespace std::chrono_literals;
  WatchCache cache(100);
  const auto text = [](std::size_t size) { return std::make_shared<const std::string>(size, 'x'); };
  cache.keep("a", 1, text(40));
  cache.keep("b", 1, text(40));
  EXPECT_TRUE(cache.find("a", 1, 0ms));
  EXPECT_FALSE(cache.find("a", 2, 0ms)) << "an old version";
  EXPECT_TRUE(cache.find("a", 2, 1h)) << "is good enough for an hour";
  cache.keep("c", 1, text(40));
  EXPECT_FALSE(cache.find("b", 1, 0ms)) << "was asked for longest ago";
  EXPECT_TRUE(cache.find("a", 1, 0ms));
  cache.keep("a", 2, text(60));
  EXPECT_EQ(cache.find("a", 2, 0ms)->size(), 60u);
  EXPECT_TRUE(cache.find("c", 1, 0ms));
  cache.keep("huge", 1, text(101));
  EXPECT_FALSE(cache.find("huge", 1, 0ms));
  EXPECT_TRUE(cache.find("c", 1, 0ms));
}

}  // namespace
}  // namespace moblo::cli
