#include <gmock/gmock.h>

#include <fstream>

#include "cli/review_request.hpp"
#include "lab/report/png.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/line_file.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::cli::review_test {
namespace {

using lab::readers::testing::TemporaryFolder;
using testing::HasSubstr;

constexpr auto secret = "0123456789abcdef0123456789abcdef";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// What `moblo clean` leaves behind, with a picture in a file and a table.
class Review : public testing::Test {
 protected:
  Review() {
    write(folder() / "review.csv",
          "dataset,id,given_label,predicted_label,wrong_probability,reason\n"
          "pets,\"a, 1.png\",cat,dog,0.9,random\npets,gone.png,dog,cat,0.8,\npets,text.png,dog,cat,0.7,\n"
          "rows,7,yes,no,0.6,uncertain\n");
    write(folder() / "picture", lab::report::png(1, 1, 1, {7}));
    write(folder() / "text", "secret");
    const auto path = [&](const char* name) { return (folder() / name).string(); };
    records::write_document(folder() / "review.json", {{"format", 1},
                                                       {"command", "moblo clean --noisy pets.csv"},
                                                       {"datasets",
                                                        {{{"name", "pets"},
                                                          {"classes", {"cat", "dog"}},
                                                          {"columns", Json::array()},
                                                          {"samples",
                                                           {{"a, 1.png", {{"picture", path("picture")}}},
                                                            {"gone.png", {{"picture", path("absent")}}},
                                                            {"text.png", {{"picture", path("text")}}}}}},
                                                         {{"name", "rows"},
                                                          {"classes", {"no", "yes"}},
                                                          {"columns", {"x", "y"}},
                                                          {"samples", {{"7", {{"values", {"1.5", "blue"}}}}}}}}}});
  }

  const std::filesystem::path& folder() const { return made.path(); }
  std::string verdicts() const {
    std::ifstream in(folder() / "verdicts.csv");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  WatchRequest request(const std::string& method, const std::string& target) const {
    return {method, target, "127.0.0.1:80", std::string("moblo_watch_80=") + secret, "", false, "http://127.0.0.1:80"};
  }
  WatchAnswer put(ReviewSession& session, const WatchRequest& asked) const {
    return answer_review(session, access, asked);
  }

  const TemporaryFolder made;
  WatchAccess access{"127.0.0.1", secret, "moblo_watch_80"};
};

TEST_F(Review, VerdictsAreOnTheDiskAtOnceAndCountNextTime) {
  {
    ReviewSession session(folder());
    EXPECT_EQ(session.size(), 4u);
    EXPECT_TRUE(session.judge(0, "dog"));
    EXPECT_EQ(verdicts(), "dataset,id,checked_label,reason\npets,\"a, 1.png\",dog,random\n");
    EXPECT_TRUE(session.judge(3, "yes"));
  }
  ReviewSession again(folder());
  EXPECT_EQ(again.judged(), 2u);
  EXPECT_EQ(again.description()["samples"][3]["verdict"], "yes");
  EXPECT_TRUE(again.description()["samples"][1]["verdict"].is_null());
  EXPECT_TRUE(again.judge(0, std::nullopt));
  EXPECT_EQ(verdicts(), "dataset,id,checked_label,reason\nrows,7,yes,uncertain\n");
}

TEST_F(Review, VerdictsOfOtherListsStay) {
  write(folder() / "verdicts.csv", "dataset,id,checked_label,reason\npets,other,cat,\n");
  ReviewSession session(folder());
  EXPECT_EQ(session.judged(), 0u);
  session.judge(1, "cat");
  EXPECT_EQ(verdicts(), "dataset,id,checked_label,reason\npets,gone.png,cat,\npets,other,cat,\n");
}

TEST_F(Review, OnlyClassesOfTheDatasetAndSamplesOfTheListAreTaken) {
  ReviewSession session(folder());
  EXPECT_FALSE(session.judge(0, "yes"));
  EXPECT_FALSE(session.judge(4, "cat"));
  EXPECT_FALSE(std::filesystem::exists(session.verdicts_file()));
}

TEST_F(Review, PicturesAreThoseOfTheListAndPicturesOnly) {
  const ReviewSession session(folder());
  ASSERT_TRUE(session.picture(0));
  EXPECT_TRUE(session.picture(0)->starts_with("data:image/png;base64,iVBOR"));
  EXPECT_FALSE(session.picture(1)) << "its file has gone";
  EXPECT_FALSE(session.picture(2)) << "its file is text";
  EXPECT_FALSE(session.picture(3));
  EXPECT_FALSE(session.picture(99));
}

TEST_F(Review, TheCommandTakesTheVerdictsIn) {
  EXPECT_EQ(ReviewSession(folder()).command(),
            "moblo clean --noisy pets.csv --checked " + (folder() / "verdicts.csv").string());
}

TEST_F(Review, FoldersThatDoNotFitAreRefused) {
  std::filesystem::remove(folder() / "review.csv");
  EXPECT_THROW(ReviewSession{folder()}, Error) << "neither review.csv nor flagged.csv";
  write(folder() / "flagged.csv", "dataset,id,given_label,predicted_label\npets,b,cat,dog\n");
  EXPECT_EQ(ReviewSession(folder()).size(), 1u);
  write(folder() / "flagged.csv", "dataset,id,given_label,predicted_label\nbirds,b,cat,dog\n");
  EXPECT_THROW(ReviewSession{folder()}, Error) << "a dataset that review.json does not know";
  write(folder() / "flagged.csv", "dataset,id,given_label,predicted_label\n");
  EXPECT_THROW(ReviewSession{folder()}, Error) << "nothing to look at";
}

TEST_F(Review, RequestsAreAnswered) {
  ReviewSession session(folder());
  EXPECT_EQ(put(session, request("GET", "/")).type, "text/html; charset=utf-8");
  EXPECT_EQ(Json::parse(*put(session, request("GET", "/api/samples")).body)["samples"].size(), 4u);
  EXPECT_EQ(put(session, request("GET", "/api/picture?sample=0")).status, 200);
  for (const auto* target :
       {"/api/picture?sample=1", "/api/picture?sample=x", "/api/picture", "/etc/passwd", "/a/.."}) {
    EXPECT_EQ(put(session, request("GET", target)).status, 404) << target;
  }
  EXPECT_EQ(put(session, request("POST", "/api/verdict?sample=1&label=cat")).status, 200);
  EXPECT_THAT(verdicts(), HasSubstr("pets,gone.png,cat,"));
  EXPECT_EQ(put(session, request("POST", "/api/verdict?sample=1")).status, 200);
  EXPECT_EQ(session.judged(), 0u);
  for (const auto* target : {"/api/verdict?sample=9&label=cat", "/api/verdict?sample=1&label=bird", "/api/verdict"}) {
    EXPECT_EQ(put(session, request("POST", target)).status, 400) << target;
  }
}

TEST_F(Review, RequestsOfStrangersAreRefused) {
  ReviewSession session(folder());
  const auto verdict = request("POST", "/api/verdict?sample=1&label=cat");
  const auto status = [&](const std::function<void(WatchRequest&)>& change) {
    auto asked = verdict;
    change(asked);
    return put(session, asked).status;
  };
  EXPECT_EQ(status([](auto& r) { r.cookie = ""; }), 401);
  EXPECT_EQ(status([](auto& r) { r.cookie += "0"; }), 401);
  EXPECT_EQ(status([](auto& r) { r.host = "evil.example"; }), 403);
  EXPECT_EQ(status([](auto& r) { r.origin = "http://evil.example"; }), 403);
  EXPECT_EQ(status([](auto& r) { r.origin = "null"; }), 403);
  EXPECT_EQ(status([](auto& r) { r.origin = ""; }), 403) << "a browser always says where a POST comes from";
  EXPECT_EQ(status([](auto& r) { r.origin = "http://127.0.0.1:81"; }), 403) << "another program on this machine";
  EXPECT_EQ(status([](auto& r) { r.has_body = true; }), 413);
  for (const auto* method : {"PUT", "DELETE", "OPTIONS", ""}) {
    EXPECT_EQ(status([&](auto& r) { r.method = method; }), 405) << method;
  }
  auto reading = request("GET", "/api/verdict?sample=1&label=cat");
  EXPECT_EQ(put(session, reading).status, 404) << "reading changes nothing";
  EXPECT_EQ(session.judged(), 0u);
  EXPECT_FALSE(std::filesystem::exists(session.verdicts_file()));
}

}  // namespace
}  // namespace moblo::cli::review_test
