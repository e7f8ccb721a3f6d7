#include "lab/clean/clean_state.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <limits>

#include "lab/clean/jobs.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::clean::state_test {
namespace {

namespace fs = std::filesystem;

class CleanStateTest : public ::testing::Test {
 protected:
  CleanStateTest() {
    std::string pattern = (fs::temp_directory_path() / "moblo-clean-state-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CleanStateTest() override { fs::remove_all(folder_); }

  /// How often the job was done.
  int done(const Json& asked, double number = 0.1) {
    int times = 0;
    CleanState state(folder_, asked);
    Monitor monitor;
    const Job job{"job", 1,
                  [&] {
                    ++times;
                    JobResult result;
                    put_numbers(result, "numbers", {number, std::numeric_limits<double>::denorm_min()});
                    return result;
                  },
                  [&](const JobResult& result) { taken_ = numbers_in(result, "numbers", 2); }};
    run_jobs({job}, 1, state, monitor);
    warnings_ = state.warnings();
    return times;
  }

  fs::path folder_;
  std::vector<double> taken_;
  std::vector<std::string> warnings_;
};

TEST_F(CleanStateTest, DoesAJobOnce) {
  const Json asked{{"seed", 1}, {"path", "\xff not UTF-8"}};
  EXPECT_EQ(stored_request(folder_), std::nullopt);
  EXPECT_EQ(done(asked), 1);
  EXPECT_EQ(stored_request(folder_), asked);
  EXPECT_EQ(done(asked, 0.2), 0);
  EXPECT_EQ(taken_, (std::vector<double>{0.1, std::numeric_limits<double>::denorm_min()}));
  EXPECT_TRUE(warnings_.empty());
  remove_clean_state(folder_);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CleanStateTest, ARequestThatIsNestedTooDeeplyIsRefused) {
  fs::create_directory(folder_ / "clean_state");
  records::StoredTensor tensor{"asked", "U8", {1'000'000}, std::vector<std::byte>(1'000'000, std::byte{0x81})};
  records::write_tensor_file(folder_ / "clean_state/asked.safetensors", {{tensor}, Json::object()});
  EXPECT_THROW(stored_request(folder_), Error);
}

TEST_F(CleanStateTest, TakesNothingThatBelongsToAnotherRequest) {
  EXPECT_EQ(done({{"seed", 1}}), 1);
  const auto file = folder_ / "clean_state/job.safetensors", aside = folder_ / "aside";
  fs::rename(file, aside);
  remove_clean_state(folder_);
  EXPECT_EQ(done({{"seed", 2}}), 1);
  fs::rename(aside, file);
  EXPECT_EQ(done({{"seed", 2}}, 0.2), 1);
  EXPECT_EQ(taken_.front(), 0.2);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_.front().find("job.safetensors"), std::string::npos) << warnings_.front();
}

TEST_F(CleanStateTest, ResultsOfAnotherSizeAreRefused) {
  JobResult result;
  put_numbers(result, "numbers", {1, 2});
  EXPECT_THROW(numbers_in(result, "numbers", 3), Error);
  EXPECT_THROW(numbers_in(result, "others", 2), Error);
  EXPECT_THROW(network_in(result, "network"), Error);
  EXPECT_EQ(numbers_in(result, "numbers", 2), (std::vector<double>{1, 2}));
}

TEST_F(CleanStateTest, ANetworkComesBackBitForBit) {
  auto network = nets::DenseClassifier::draw({7, 5, 3}, 1);
  JobResult result;
  put_network(result, "a", network);
  put_network(result, "ab", nets::DenseClassifier::draw({2, 2}, 2));
  EXPECT_TRUE(torch::equal(network_in(result, "a").values(), network.values()));
  EXPECT_EQ(network_in(result, "ab").parameters().size(), 2U);
}

}  // namespace
}  // namespace moblo::lab::clean::state_test
