#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/cli/watch_client.hpp"
#include "tests/moblo/records/run_fixtures.hpp"
#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

using records::fixtures::write_sample_run;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WatchVerb : public testing::Test {
 protected:
  WatchVerb() {
    fs::create_directories(root);
    write_sample_run(root / "good", 20);
  }

  TemporaryFolder folder;
  const fs::path root = folder / "runs";
};

constexpr auto ok = "HTTP/1.1 200 ";

TEST_F(WatchVerb, AnswersManyOnOneConnectionAndEndsAtOnce) {
  WatchServer server(root);
  WatchClient client(server.port());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(client.get("/api/runs"), HasSubstr("good"));
  EXPECT_THAT(client.get("/run?name=good"), StartsWith(ok));
  EXPECT_THAT(client.get("/run?name=absent"), StartsWith("HTTP/1.1 404 "));
  const auto head = server.get("/");
  for (const auto* name : {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                           "Cache-Control: no-store", "Referrer-Policy: no-referrer"}) {
    EXPECT_THAT(head, HasSubstr(name));
  }
  const auto result = server.stop();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(client.ends());
}

/// Each of these took a thread of its own once, of which there were eight.
TEST_F(WatchVerb, AnswersWhileOthersHoldTheirConnections) {
  WatchServer server(root);
  std::vector<std::unique_ptr<WatchClient>> others;
  for (int i = 0; i < 150; ++i) others.push_back(std::make_unique<WatchClient>(server.port()));
  for (int i = 0; i < 50; ++i) others[i]->send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  for (int i = 50; i < 100; ++i) EXPECT_THAT(others[i]->get("/api/runs"), StartsWith(ok));
  EXPECT_THAT(server.get("/"), StartsWith(ok));
  for (int i = 0; i < 50; ++i) {  // they were neither forgotten nor ended
    others[i]->send("x\r\n\r\n");
    EXPECT_THAT(others[i]->answer(), StartsWith(ok));
  }
}

TEST_F(WatchVerb, RefusesEndlessHeaders) {
  WatchServer server(root);
  WatchClient client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  const std::string line = "X-More: " + std::string(1000, 'x') + "\r\n";
  std::size_t sent = 0;
  while (sent < (64 << 20) && client.send(line)) sent += line.size();
  EXPECT_LT(sent, std::size_t{64} << 20) << "it takes header lines without end";
  EXPECT_THAT(WatchClient(server.port()).get("/" + std::string(100'000, 'x')), Not(StartsWith(ok)));
  EXPECT_THAT(server.get("/"), StartsWith(ok));
}

TEST_F(WatchVerb, ReadsNoBodies) {
  WatchServer server(root);
  WatchClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000000\r\n\r\n");
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 405 "));
  EXPECT_TRUE(client.ends());
  WatchClient chunked(server.port());
  EXPECT_THAT(chunked.get("/", "Transfer-Encoding: chunked\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_TRUE(chunked.ends());
}

/// 300 files allow 200 connections.
TEST_F(WatchVerb, EndsTheLongestIdleWhereThereAreTooMany) {
  WatchServer server(root, {.most_files = 300});
  std::vector<std::unique_ptr<WatchClient>> idle;
  WatchClient active(server.port());
  for (int i = 0; i < 400; ++i) {
    idle.push_back(std::make_unique<WatchClient>(server.port()));
    if (i % 20 == 0) {
      ASSERT_THAT(active.get("/api/runs"), StartsWith(ok)) << i;
    }
  }
  EXPECT_TRUE(idle.front()->ends());
  EXPECT_THAT(active.get("/"), StartsWith(ok));
  EXPECT_THAT(idle.back()->get("/"), StartsWith(ok));
  EXPECT_THAT(server.get("/run?name=good"), HasSubstr("id=\"live\"")) << "files are left for records";
}

void make_pipe(const fs::path& file) {
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0) << file;
}

TEST_F(WatchVerb, ShowsBrokenRunsWithTheReasonAndGoesOn) {
  std::map<std::string, std::string> reasons;
  const auto broken = [&](const std::string& name, const std::string& reason) {
    write_sample_run(root / name, 5);
    reasons[name] = reason;
    return root / name;
  };
  write_file(broken("words", "manifest.json: is not JSON") / "manifest.json", "{ no");
  write_file(broken("deep", "manifest.json: is not JSON") / "manifest.json",
             "{\"config\":" + std::string(2'000'000, '[') + std::string(2'000'000, ']') + "}");
  write_file(broken("list", "summary.json: ") / "summary.json", "[1]");
  for (const auto* name : {"manifest.json", "steps.jsonl", "timings.jsonl", "evaluations.jsonl", "summary.json"}) {
    const auto run = broken(std::string("pipe-") + name, std::string(name) + ": is no regular file");
    make_pipe(run / name);
  }
  fs::remove(broken("folder", "manifest.json: is no regular file") / "manifest.json");
  fs::create_directory(root / "folder/manifest.json");
  fs::remove(broken("loop", "manifest.json: is a link that cannot be followed") / "manifest.json");
  fs::create_symlink("manifest.json", root / "loop/manifest.json");
  WatchServer server(root);
  const auto list = server.get("/");
  for (const auto& [name, reason] : reasons) {
    EXPECT_THAT(list, HasSubstr(">" + name + "</a><div class=\"why\">" + reason));
    EXPECT_THAT(server.get("/run?name=" + name), HasSubstr("This run cannot be read. " + reason));
    EXPECT_THAT(server.get("/api/run?name=" + name), HasSubstr("\"broken\":\"" + reason));
  }
  EXPECT_THAT(server.get("/run?name=good"), HasSubstr("id=\"live\""));
  EXPECT_EQ(server.stop().exit_code, 0);
}

TEST_F(WatchVerb, ShowsARunAgainOnceItIsRepaired) {
  const auto manifest = read_file(root / "good/manifest.json");
  WatchServer server(root);
  const auto says = [&](const std::string& text) {
    return wait_until([&] { return server.get("/api/run?name=good").find(text) != std::string::npos; });
  };
  EXPECT_TRUE(says("\"figures\""));
  make_pipe(root / "good/manifest.json");
  EXPECT_TRUE(says("is no regular file"));
  fs::remove(root / "good/manifest.json");
  write_file(root / "good/manifest.json", manifest);
  EXPECT_TRUE(says("\"figures\""));
}

TEST_F(WatchVerb, DoesNotFollowLinksOutOfItsFolder) {
  const auto outside = folder / "outside";
  write_sample_run(outside / "run", 5, "SECRET");
  fs::create_symlink(outside / "run", root / "linked");
  fs::create_symlink(root / "good", root / "alias");
  for (const auto* name : {"manifest.json", "steps.jsonl", "summary.json"}) {
    const auto run = root / (std::string("file-") + name);
    write_sample_run(run, 5);
    fs::remove(run / name);
    fs::create_symlink(outside / "run" / name, run / name);
  }
  fs::create_directory_symlink(root, folder / "door");
  WatchServer server(folder / "door");
  const auto list = server.get("/");
  EXPECT_THAT(list, Not(HasSubstr("SECRET")));
  for (const auto* name : {"linked", "file-manifest.json", "file-steps.jsonl", "file-summary.json"}) {
    for (const auto* page : {"/run?name=", "/api/run?name="}) {
      const auto text = server.get(page + std::string(name));
      EXPECT_THAT(text, HasSubstr("is a link that leads out of the watched folder")) << name;
      EXPECT_THAT(text, Not(HasSubstr("SECRET"))) << name;
    }
  }
  for (const auto* name : {"good", "alias"}) {
    EXPECT_THAT(server.get("/run?name=" + std::string(name)), HasSubstr("id=\"live\"")) << name;
  }
}

TEST_F(WatchVerb, AsksForATokenWhereOtherMachinesCanReachIt) {
  const auto started = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"watch", root.string(), "--port", "0"});
    return run_program({more, {}, {{"MOBLO_WATCH_TOKEN", std::nullopt}}});
  };
  expect_refusal(started({"--host", "0.0.0.0"}), 2, {"--host 0.0.0.0", "token is needed", "--token auto"});
  expect_refusal(started({"--host", "::"}), 2, {"token is needed"});
  expect_refusal(started({"--token", "secret"}), 2, {"has 6 characters", "--token auto"});
  expect_refusal(started({"--host", "no such host"}), 1, {"--host no such host"});
}

TEST_F(WatchVerb, LetsInWhoHasTheToken) {
  WatchServer server(root, {.arguments = {"--token", "auto", "--host", "0.0.0.0"}});
  std::smatch found;
  ASSERT_TRUE(std::regex_search(server.told(), found, std::regex("/\\?token=([0-9a-f]{32}) "))) << server.told();
  const std::string token = found[1];
  EXPECT_THAT(server.get("/"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(server.get("/", "Authorization: Bearer " + token + "\r\n"), StartsWith(ok));
  const auto first = server.get("/?token=" + token);
  ASSERT_TRUE(std::regex_search(first, found, std::regex("Set-Cookie: ([^;]+);")));
  EXPECT_THAT(server.get("/api/runs", "Cookie: " + std::string(found[1]) + "\r\n"), HasSubstr("good"));
  WatchServer given(root, {.environment = {{"MOBLO_WATCH_TOKEN", "a-token-of-my-own"}}});
  EXPECT_THAT(given.told(), Not(HasSubstr("a-token-of-my-own")));
  EXPECT_THAT(given.get("/"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(given.get("/?token=a-token-of-my-own"), StartsWith(ok));
}

}  // namespace
}  // namespace moblo::system_test
